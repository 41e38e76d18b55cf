// CUDA C++, made from OKL.
// @kernel sum: sum_0
// @kernel sum_single: sum_single_0
// @kernel product: product_0
// @kernel quotient: quotient_0

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

static __device__ inline double okl_atomic_add_f64(double *at, double value) {
    return atomicAdd(at, value);
}

static __device__ inline float okl_atomic_div_f32(float *at, float value) {
    uint32_t *const word = (uint32_t *)at;
    uint32_t seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = __uint_as_float(seen);
        next = old / value;
        seen = atomicCAS(word, expected, __float_as_uint(next));
    } while (seen != expected);
    return old;
}

static __device__ inline double okl_atomic_mul_f64(double *at, double value) {
    uint64_t *const word = (uint64_t *)at;
    uint64_t seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = __longlong_as_double((int64_t)seen);
        next = old * value;
        seen = atomicCAS(word, expected, (uint64_t)__double_as_longlong(next));
    } while (seen != expected);
    return old;
}

static __device__ inline float okl_atomic_sub_f32(float *at, float value) {
    return atomicAdd(at, -value);
}

static __device__ __forceinline__ void sum_0_group(const int n, const double *x, double *total, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_add_f64(&total[0], x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) sum_0(const int n, const double *x, double *total, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sum_0_group(n, x, total, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void sum_single_0_group(const int n, const float *x, float *total, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_sub_f32(&total[0], x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) sum_single_0(const int n, const float *x, float *total, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sum_single_0_group(n, x, total, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void product_0_group(const int n, double *total, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_mul_f64(&total[0], 2.0);
    }
}

extern "C" __global__ void __launch_bounds__(4) product_0(const int n, double *total, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    product_0_group(n, total, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void quotient_0_group(const int n, float *total, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_div_f32(&total[0], 2.0f);
    }
}

extern "C" __global__ void __launch_bounds__(4) quotient_0(const int n, float *total, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    quotient_0_group(n, total, group, okl_item{threadIdx.x, 0, 0});
}
