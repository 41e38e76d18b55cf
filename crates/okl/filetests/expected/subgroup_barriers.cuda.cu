// CUDA C++, made from OKL.
// @kernel before: before_0
// @kernel behind: behind_0
// @kernel around_loop: around_loop_0
// @kernel taken_for_barrier: taken_for_barrier_0

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

static __device__ __forceinline__ void before_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[8];
    int exchanged;
    int part;
    int taken;
    int part_1;
    int taken_1;
    {
        const int i = item.x;
        s[7 - i] = in[i];
    }
    __syncthreads();
    {
        const int i = item.x;
        part = s[i];
        exchanged = part;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 2) & 3;
        taken = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        part_1 = (uint32_t)part + taken;
        exchanged = part_1;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        const int part_2 = (uint32_t)part_1 + taken_1;
        out[i] = part_2;
    }
}

extern "C" __global__ void __launch_bounds__(8) before_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    before_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void behind_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[8];
    int exchanged;
    int exchanged_1;
    int part;
    int taken;
    int part_1;
    int taken_1;
    int sum;
    int taken_2;
    {
        const int i = item.x;
        s[i] = in[i];
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
        part_1 = (uint32_t)part + taken;
        exchanged = part_1;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int part_2 = (uint32_t)part_1 + taken_1;
        sum = part_2;
    }
    __syncthreads();
    {
        const int i = item.x;
        exchanged_1 = (uint32_t)sum + s[7];
    }
    {
        const int i = item.x;
        taken_2 = okl_shuffle_8(exchanged_1, 4);
    }
    {
        const int i = item.x;
        out[i] = (uint32_t)s[7 - i] + taken_2;
    }
}

extern "C" __global__ void __launch_bounds__(8) behind_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    behind_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void around_loop_0_group(const int n, const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[8];
    int exchanged;
    int part;
    int taken;
    int part_1;
    int taken_1;
    int sum;
    {
        const int i = item.x;
        s[i] = in[i];
    }
    for (int k = 0; k < n; ++k) {
        {
        }
        __syncthreads();
        {
            const int i = item.x;
            part = s[7 - i];
            exchanged = part;
        }
        {
            const int i = item.x;
            const uint32_t from = (((uint32_t)i & 3) ^ 2) & 3;
            taken = okl_shuffle_4(exchanged, from);
        }
        {
            const int i = item.x;
            part_1 = (uint32_t)part + taken;
            exchanged = part_1;
        }
        {
            const int i = item.x;
            const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
            taken_1 = okl_shuffle_4(exchanged, from);
        }
        {
            const int part_2 = (uint32_t)part_1 + taken_1;
            sum = part_2;
        }
        __syncthreads();
        {
            const int i = item.x;
            s[i] = sum;
        }
    }
    {
    }
    __syncthreads();
    {
        const int i = item.x;
        out[i] = (uint32_t)s[i] + (s[7 - i] > 0 ? (int)((uint32_t)in[i] - in[i]) : 0);
    }
}

extern "C" __global__ void __launch_bounds__(8) around_loop_0(const int n, const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    around_loop_0_group(n, in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void taken_for_barrier_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[8];
    int exchanged;
    int part;
    int taken;
    int part_1;
    int taken_1;
    int taken_2;
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
        part_1 = (uint32_t)part + taken;
        exchanged = part_1;
    }
    {
        const int i = item.x;
        const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
        taken_1 = okl_shuffle_4(exchanged, from);
    }
    {
        const int i = item.x;
        const int part_2 = (uint32_t)part_1 + taken_1;
        s[i] = part_2;
        exchanged = in[i];
    }
    {
        const int i = item.x;
        taken_2 = okl_shuffle_4(exchanged, 0);
    }
    {
        const int i = item.x;
        out[i] = (uint32_t)taken_2 + s[7 - i];
    }
}

extern "C" __global__ void __launch_bounds__(8) taken_for_barrier_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    taken_for_barrier_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}
