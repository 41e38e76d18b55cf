// CUDA C++, made from OKL.
// @kernel extremes: extremes_0
// @kernel floats: floats_0
// @kernel through_function: through_function_0

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

static __device__ inline int okl_atomic_add_i32(int *at, int value) {
    return atomicAdd(at, value);
}

static __device__ inline double okl_atomic_max_f64(double *at, double value) {
    uint64_t *const word = (uint64_t *)at;
    uint64_t seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = __longlong_as_double((int64_t)seen);
        next = value > old ? value : old;
        seen = atomicCAS(word, expected, (uint64_t)__double_as_longlong(next));
    } while (seen != expected);
    return old;
}

static __device__ inline int64_t okl_atomic_max_i64(int64_t *at, int64_t value) {
    return atomicMax(at, value);
}

static __device__ inline float okl_atomic_min_f32(float *at, float value) {
    uint32_t *const word = (uint32_t *)at;
    uint32_t seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = __uint_as_float(seen);
        next = value < old ? value : old;
        seen = atomicCAS(word, expected, __float_as_uint(next));
    } while (seen != expected);
    return old;
}

static __device__ inline int okl_atomic_min_i32(int *at, int value) {
    return atomicMin(at, value);
}

static __device__ inline void count(int *counts, int at) {
    okl_atomic_add_i32(&counts[at], 1);
}

static __device__ __forceinline__ void extremes_0_group(const int n, const int *x, int *lo, int64_t *hi, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_min_i32(&lo[0], x[i]);
        okl_atomic_max_i64(&hi[0], (int64_t)x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) extremes_0(const int n, const int *x, int *lo, int64_t *hi, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    extremes_0_group(n, x, lo, hi, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void floats_0_group(const int n, const float *x, float *lo, double *hi, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_min_f32(&lo[0], x[i]);
        okl_atomic_max_f64(&hi[0], (double)x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) floats_0(const int n, const float *x, float *lo, double *hi, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    floats_0_group(n, x, lo, hi, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void through_function_0_group(const int n, const int *x, int *counts, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        count(counts, x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(2) through_function_0(const int n, const int *x, int *counts, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    through_function_0_group(n, x, counts, group, okl_item{threadIdx.x, 0, 0});
}
