// CUDA C++, made from OKL.
// @kernel shuffles: shuffles_0
// @kernel reductions: reductions_0
// @kernel votes: votes_0
// @kernel tree: tree_0
// @kernel rows: rows_0
// @kernel in_loops: in_loops_0
// @kernel small: small_0
// @kernel wide: wide_0

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807ll - 1)
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
struct okl_group { int64_t x, y, z; };
struct okl_item { uint32_t x, y, z; };

static __device__ inline uint32_t okl_ballot_4(uint32_t vote) {
    uint32_t first;
    asm("mov.u32 %0, %%laneid;" : "=r"(first));
    first &= 28u;
    return __ballot_sync(0xfu << first, vote != 0) >> first & 0xfu;
}

static __device__ inline uint16_t okl_f16_of_f32(float value) {
    uint16_t converted;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(converted) : "f"(value));
    return converted;
}

static __device__ inline float okl_f32_of_f16(uint16_t value) {
    float converted;
    asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(value));
    return converted;
}

static __device__ inline int okl_max_i32(int a, int b) {
    return a > b ? a : b;
}

static __device__ inline int okl_min_i32(int a, int b) {
    return a < b ? a : b;
}

template <class T> static __device__ inline T okl_shuffle_32(T value, uint32_t lane) {
    const uint32_t first = 0;
    return __shfl_sync(0xffffffffu << first, value, (int)lane, 32);
}

template <class T> static __device__ inline T okl_shuffle_4(T value, uint32_t lane) {
    uint32_t first;
    asm("mov.u32 %0, %%laneid;" : "=r"(first));
    first &= 28u;
    return __shfl_sync(0xfu << first, value, (int)lane, 4);
}

template <class T> static __device__ inline T okl_shuffle_8(T value, uint32_t lane) {
    uint32_t first;
    asm("mov.u32 %0, %%laneid;" : "=r"(first));
    first &= 24u;
    return __shfl_sync(0xffu << first, value, (int)lane, 8);
}

static __device__ __forceinline__ void shuffles_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    int exchanged;
    int taken;
    int taken_1;
    int taken_2;
    int taken_3;
    int taken_4;
    {
        const int i = item.x;
        exchanged = in[i];
    }
    {
        const int i = item.x;
        taken = okl_shuffle_4(exchanged, 2);
    }
    {
        const int i = item.x;
        out[i] = taken;
        exchanged = in[i];
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        out[8 + i] = taken_1;
        exchanged = in[i];
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) - 1 < 4 ? ((uint32_t)i & 3) - 1 : (uint32_t)i & 3) & 3;
        taken_2 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        out[16 + i] = taken_2;
        exchanged = in[i];
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) + 2 < 4 ? ((uint32_t)i & 3) + 2 : (uint32_t)i & 3) & 3;
        taken_3 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        out[24 + i] = taken_3;
        exchanged = in[i];
    }
    {
        const int i = item.x;
        taken_4 = okl_shuffle_4(exchanged, 3);
    }
    {
        const int i = item.x;
        out[32 + i] = taken_4;
    }
}

extern "C" __global__ void __launch_bounds__(8) shuffles_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    shuffles_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void reductions_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    int exchanged;
    int exchanged_1;
    int part;
    int taken;
    int part_1;
    int taken_1;
    int part_2;
    int taken_2;
    int part_3;
    int taken_3;
    int part_4;
    int taken_4;
    int part_5;
    int taken_5;
    int part_6;
    int taken_6;
    {
        const int i = 8 + (int)item.x * -1;
        part = in[8 - i];
        exchanged = part;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 2) & 3;
        taken = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        part_1 = part + taken;
        exchanged = part_1;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        const int part_7 = part_1 + taken_1;
        out[8 - i] = part_7;
        part_2 = in[8 - i];
        exchanged_1 = part_2;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 7) ^ 4) & 7;
        taken_2 = okl_shuffle_8(exchanged_1, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        part_3 = okl_min_i32(part_2, taken_2);
        exchanged_1 = part_3;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 7) ^ 2) & 7;
        taken_3 = okl_shuffle_8(exchanged_1, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        part_4 = okl_min_i32(part_3, taken_3);
        exchanged_1 = part_4;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 7) ^ 1) & 7;
        taken_4 = okl_shuffle_8(exchanged_1, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        const int part_7 = okl_min_i32(part_4, taken_4);
        out[16 - i] = part_7;
        part_5 = in[8 - i];
        exchanged = part_5;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 2) & 3;
        taken_5 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        part_6 = okl_max_i32(part_5, taken_5);
        exchanged = part_6;
    }
    {
        const int i = 8 + (int)item.x * -1;
        const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 1) & 3;
        taken_6 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = 8 + (int)item.x * -1;
        const int part_7 = okl_max_i32(part_6, taken_6);
        out[24 - i] = part_7;
    }
}

extern "C" __global__ void __launch_bounds__(8) reductions_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    reductions_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void votes_0_group(const int *in, uint32_t *out, int *flags, const okl_group group, const okl_item item) {
    uint32_t exchanged;
    uint32_t vote;
    uint32_t taken;
    uint32_t vote_1;
    uint32_t taken_1;
    uint32_t vote_2;
    uint32_t taken_2;
    const int o = group.x;
    const int i_start = 4 * o;
    {
        const int i = i_start + (int)item.x;
        vote = in[i] > (o == 0 ? 1 : 2) && in[i] != 2 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
        if (((uint32_t)(i - i_start) & 3) == 0) {
            exchanged = 0;
        }
    }
    {
        const int i = i_start + (int)item.x;
        exchanged = vote;
    }
    {
        const int i = i_start + (int)item.x;
        taken = okl_ballot_4(exchanged);
    }
    {
        const int i = i_start + (int)item.x;
        out[i] = taken;
        vote_1 = in[i] > 2 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
        if (((uint32_t)(i - i_start) & 3) == 0) {
            exchanged = 0;
        }
    }
    {
        const int i = i_start + (int)item.x;
        exchanged = vote_1;
    }
    {
        const int i = i_start + (int)item.x;
        taken_1 = okl_ballot_4(exchanged);
    }
    {
        const int i = i_start + (int)item.x;
        vote_2 = in[i] > 1 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
        if (((uint32_t)(i - i_start) & 3) == 0) {
            exchanged = 0;
        }
    }
    {
        const int i = i_start + (int)item.x;
        exchanged = vote_2;
    }
    {
        const int i = i_start + (int)item.x;
        taken_2 = okl_ballot_4(exchanged);
    }
    {
        const int i = i_start + (int)item.x;
        const int both = 4 * (taken_1 != 0) + 8 * (taken_2 == 15);
        flags[i] = both + (int)((uint32_t)(i - i_start) & 3);
    }
}

extern "C" __global__ void __launch_bounds__(4) votes_0(const int *in, uint32_t *out, int *flags, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    votes_0_group(in, out, flags, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void tree_0_group(const double *in, double *out, const okl_group group, const okl_item item) {
    double exchanged;
    double part;
    double taken;
    double part_1;
    double taken_1;
    {
        const int i = item.x;
        part = in[i];
        exchanged = part;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 2) & 3;
        taken = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        part_1 = part + taken;
        exchanged = part_1;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        const double part_2 = part_1 + taken_1;
        out[i] = part_2;
    }
}

extern "C" __global__ void __launch_bounds__(4) tree_0(const double *in, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    tree_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void rows_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    int exchanged;
    int part;
    int taken;
    int part_1;
    int taken_1;
    const int o = group.x;
    {
        const int i = (int)item.x * 2;
        const int k = item.y;
        const int at = 24 * o + 8 * k + i / 2;
        part = in[at];
        exchanged = part;
    }
    {
        const int i = (int)item.x * 2;
        const int k = item.y;
        const uint32_t from = (((uint32_t)(i / 2) & 3) ^ 2) & 3;
        taken = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = (int)item.x * 2;
        const int k = item.y;
        part_1 = part + taken;
        exchanged = part_1;
    }
    {
        const int i = (int)item.x * 2;
        const int k = item.y;
        const uint32_t from = (((uint32_t)(i / 2) & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = (int)item.x * 2;
        const int k = item.y;
        const int at = 24 * o + 8 * k + i / 2;
        const int part_2 = part_1 + taken_1;
        const int sum = part_2;
        if ((int)((uint32_t)(i / 2) & 3) == 0) {
            out[at / 4] = sum;
        }
    }
}

extern "C" __global__ void __launch_bounds__(24) rows_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rows_0_group(in, out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}

static __device__ __forceinline__ void in_loops_0_group(const int n, const int *in, int *out, const okl_group group, const okl_item item) {
    int exchanged;
    int value;
    int taken;
    {
        const int i = item.x;
        value = in[i];
    }
    for (int k = 0; k < n; ++k) {
        if (n == 3) {
            {
                const int i = item.x;
                exchanged = value;
            }
            {
                const int i = item.x;
                const uint32_t from = (((uint32_t)i & 3) - 1 < 4 ? ((uint32_t)i & 3) - 1 : (uint32_t)i & 3) & 3;
                taken = okl_shuffle_4(exchanged, from);
            }
            {
                value += taken;
            }
        }
    }
    {
        const int i = item.x;
        out[i] = value;
    }
}

extern "C" __global__ void __launch_bounds__(4) in_loops_0(const int n, const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    in_loops_0_group(n, in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void small_0_group(const int8_t *in, float *out, const okl_group group, const okl_item item) {
    float exchanged;
    float part;
    float taken;
    float part_1;
    float taken_1;
    {
        const int i = item.x;
        const uint16_t h = okl_f16_of_f32(in[i] * 0.25f);
        part = okl_f32_of_f16(h);
        exchanged = part;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 2) & 3;
        taken = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        part_1 = part + taken;
        exchanged = part_1;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        const float part_2 = part_1 + taken_1;
        out[i] = 2.0f * part_2;
    }
}

extern "C" __global__ void __launch_bounds__(4) small_0(const int8_t *in, float *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    small_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void wide_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    int exchanged;
    int part;
    int taken;
    int part_1;
    int taken_1;
    int part_2;
    int taken_2;
    int part_3;
    int taken_3;
    int part_4;
    int taken_4;
    {
        const int i = item.x;
        part = in[i];
        exchanged = part;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 31) ^ 16) & 31;
        taken = okl_shuffle_32(exchanged, from);
    }
    {
        const int i = item.x;
        part_1 = part + taken;
        exchanged = part_1;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 31) ^ 8) & 31;
        taken_1 = okl_shuffle_32(exchanged, from);
    }
    {
        const int i = item.x;
        part_2 = part_1 + taken_1;
        exchanged = part_2;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 31) ^ 4) & 31;
        taken_2 = okl_shuffle_32(exchanged, from);
    }
    {
        const int i = item.x;
        part_3 = part_2 + taken_2;
        exchanged = part_3;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 31) ^ 2) & 31;
        taken_3 = okl_shuffle_32(exchanged, from);
    }
    {
        const int i = item.x;
        part_4 = part_3 + taken_3;
        exchanged = part_4;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 31) ^ 1) & 31;
        taken_4 = okl_shuffle_32(exchanged, from);
    }
    {
        const int i = item.x;
        const int part_5 = part_4 + taken_4;
        const int sum = part_5;
        if ((int)((uint32_t)i & 31) == 0) {
            out[i / 32] = sum;
        }
    }
}

extern "C" __global__ void __launch_bounds__(64) wide_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    wide_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}
