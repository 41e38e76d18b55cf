// CUDA C++, made from OKL.
// @kernel axpy: axpy_0
// @kernel rounds: rounds_0
// @kernel operators: operators_0
// @kernel places: places_0
// @kernel halves: halves_0

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

typedef struct Sample {
    uint16_t value;
    int count;
    uint16_t pair[2];
    uint16_t last;
} Sample;
static_assert(sizeof(Sample) == 16, "size of Sample");

static __device__ inline uint16_t okl_f16_of_f32(float value) {
    uint16_t converted;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(converted) : "f"(value));
    return converted;
}

static __device__ inline uint16_t okl_f16_of_f64(double value) {
    uint16_t converted;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(converted) : "d"(value));
    return converted;
}

static __device__ inline float okl_f32_of_f16(uint16_t value) {
    float converted;
    asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(value));
    return converted;
}

static __device__ const uint16_t weights[3] = {0x2e66, 0x4000, 0x7bff};

static __device__ inline uint16_t twice(uint16_t x) {
    return okl_f16_of_f32(2.0f * okl_f32_of_f16(x));
}

static __device__ inline void raise(uint16_t *x, int by) {
    x[0] = okl_f16_of_f32(okl_f32_of_f16(x[0]) + by);
}

static __device__ __forceinline__ void axpy_0_group(const int n, const uint16_t a, const uint16_t *x, uint16_t *y, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        y[i] = okl_f16_of_f32(okl_f32_of_f16(a) * okl_f32_of_f16(x[i]) + okl_f32_of_f16(y[i]));
    }
}

extern "C" __global__ void __launch_bounds__(4) axpy_0(const int n, const uint16_t a, const uint16_t *x, uint16_t *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    axpy_0_group(n, a, x, y, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) axpy_0_pairs(const int n, const uint16_t a, const uint16_t *x, uint16_t *y, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const uint16_t value = okl_f16_of_f32(okl_f32_of_f16(a) * okl_f32_of_f16(x[i]) + okl_f32_of_f16(y[i]));
        const uint16_t value_next = okl_f16_of_f32(okl_f32_of_f16(a) * okl_f32_of_f16(x[i_next]) + okl_f32_of_f16(y[i_next]));
        y[i] = value;
        y[i_next] = value_next;
    } else {
        axpy_0_group(n, a, x, y, group, item);
        if (next.x < end) {
            axpy_0_group(n, a, x, y, next, item);
        }
    }
}

static __device__ __forceinline__ void rounds_0_group(const float *x, const double *d, const int *k, uint16_t *of, uint16_t *od, uint16_t *ok, const okl_group group, const okl_item item) {
    const int i = item.x;
    of[i] = okl_f16_of_f32(x[i]);
    od[i] = okl_f16_of_f64(d[i]);
    ok[i] = okl_f16_of_f32(k[i]);
}

extern "C" __global__ void __launch_bounds__(8) rounds_0(const float *x, const double *d, const int *k, uint16_t *of, uint16_t *od, uint16_t *ok, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rounds_0_group(x, d, k, of, od, ok, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(8) rounds_0_pairs(const float *x, const double *d, const int *k, uint16_t *of, uint16_t *od, uint16_t *ok, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i = item.x;
    const int i_next = item.x;
    if (next.x < end) {
        const uint16_t value = okl_f16_of_f32(x[i]);
        const uint16_t value_next = okl_f16_of_f32(x[i_next]);
        of[i] = value;
        of[i_next] = value_next;
        const uint16_t value_1 = okl_f16_of_f64(d[i]);
        const uint16_t value_1_next = okl_f16_of_f64(d[i_next]);
        od[i] = value_1;
        od[i_next] = value_1_next;
        const uint16_t value_2 = okl_f16_of_f32(k[i]);
        const uint16_t value_2_next = okl_f16_of_f32(k[i_next]);
        ok[i] = value_2;
        ok[i_next] = value_2_next;
    } else {
        rounds_0_group(x, d, k, of, od, ok, group, item);
        if (next.x < end) {
            rounds_0_group(x, d, k, of, od, ok, next, item);
        }
    }
}

static __device__ __forceinline__ void operators_0_group(const uint16_t a, const uint16_t b, float *out, const okl_group group, const okl_item item) {
    uint16_t h = a;
    const uint16_t none = okl_f16_of_f32(-okl_f32_of_f16(b));
    out[0] = -okl_f32_of_f16(a);
    out[1] = okl_f32_of_f16(a);
    out[2] = okl_f32_of_f16(b) != 0.0f ? okl_f32_of_f16(b) : okl_f32_of_f16(a);
    out[3] = okl_f32_of_f16(a) < okl_f32_of_f16(b);
    out[4] = !(okl_f32_of_f16(b) != 0.0f);
    out[5] = okl_f32_of_f16(b) != 0.0f && okl_f32_of_f16(a) != 0.0f;
    out[6] = okl_f32_of_f16(none) == okl_f32_of_f16(b);
    out[7] = 2.0f;
    out[8] = (int)okl_f32_of_f16(a);
    out[9] = sqrtf(-okl_f32_of_f16(a));
    out[10] = fabsf(okl_f32_of_f16(h));
    h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
    out[11] = okl_f32_of_f16(h);
    h = okl_f16_of_f64(okl_f32_of_f16(h) * -4.0);
    h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
    out[12] = okl_f32_of_f16(h);
    if (okl_f32_of_f16(none) != 0.0f) {
        out[13] = 1.0f;
    }
    out[14] = okl_f32_of_f16(h) != 0.0f;
    out[15] = fmaxf(okl_f32_of_f16(h), okl_f32_of_f16(weights[0])) + (okl_f32_of_f16(weights[2]) > 60000.0f ? 1 : 0);
}

extern "C" __global__ void __launch_bounds__(1) operators_0(const uint16_t a, const uint16_t b, float *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    operators_0_group(a, b, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void places_0_group(const Sample s, const uint16_t *x, Sample *p, uint16_t *y, const okl_group group, const okl_item item) {
    __shared__ uint16_t tile[4];
    uint16_t mine;
    {
        const int i = item.x;
        tile[i] = x[i];
        mine = twice(x[i]);
    }
    __syncthreads();
    {
        const int i = item.x;
        uint16_t local[3] = {weights[1], s.pair[0]};
        local[2] = okl_f16_of_f32(okl_f32_of_f16(tile[3 - i]) + okl_f32_of_f16(mine));
        y[i] = okl_f16_of_f32(okl_f32_of_f16(local[1]) * okl_f32_of_f16(local[2]) + s.count);
        p[i].count += i;
        ++p[i].count;
        p[i].last = okl_f16_of_f32(okl_f32_of_f16(p[i].last) + 1.0f);
        p[i].pair[1] = okl_f16_of_f64(okl_f32_of_f16(p[i].pair[1]) + i + okl_f32_of_f16(s.pair[1]) - 0.5);
        if (i > 0) {
            raise(&p[i].pair[0], 1);
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) places_0(const Sample s, const uint16_t *x, Sample *p, uint16_t *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    places_0_group(s, x, p, y, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void halves_0_group(const int n, const uint16_t least, uint16_t *x, const okl_group group, const okl_item item) {
    const int i = item.x;
    for (uint16_t h = x[i]; okl_f32_of_f16(h) > okl_f32_of_f16(least); h = okl_f16_of_f32(okl_f32_of_f16(h) - 1.0f)) {
        x[i] = okl_f16_of_f32(okl_f32_of_f16(x[i]) > 1.0f ? okl_f32_of_f16(x[i]) - okl_f32_of_f16(least) : okl_f32_of_f16(x[i]));
        if (okl_f32_of_f16(h) < 2.5) {
            break;
        }
    }
}

extern "C" __global__ void halves_0(const int n, const uint16_t least, uint16_t *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    halves_0_group(n, least, x, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}
