// CUDA C++, made from OKL.
// @kernel apply: apply_0
// @kernel powers: powers_0
// @kernel gcds: gcds_0

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

static __device__ inline double square(double x) {
    return x * x;
}

static __device__ inline double twice(double x) {
    return square(x) + square(-x);
}

static __device__ inline int power(int base, int exponent) {
    int result = 1;
    while (exponent > 0) {
        result *= base;
        --exponent;
    }
    return result;
}

static __device__ inline int gcd(int a, int b) {
    while (true) {
        if (b == 0) {
            return a;
        }
        const int r = a % b;
        a = b;
        b = r;
    }
}

static __device__ __forceinline__ void apply_0_group(const int n, const double *x, double *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        out[i] = twice(x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) apply_0(const int n, const double *x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    apply_0_group(n, x, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) apply_0_pairs(const int n, const double *x, double *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double value = twice(x[i]);
        const double value_next = twice(x[i_next]);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        apply_0_group(n, x, out, group, item);
        if (next.x < end) {
            apply_0_group(n, x, out, next, item);
        }
    }
}

static __device__ __forceinline__ void powers_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        out[i] = power(3, i);
    }
}

extern "C" __global__ void __launch_bounds__(4) powers_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    powers_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) powers_0_pairs(const int n, int *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = power(3, i);
        const int value_next = power(3, i_next);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        powers_0_group(n, out, group, item);
        if (next.x < end) {
            powers_0_group(n, out, next, item);
        }
    }
}

static __device__ __forceinline__ void gcds_0_group(const int n, int *a, const int *b, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        a[i] = gcd(a[i], b[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) gcds_0(const int n, int *a, const int *b, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    gcds_0_group(n, a, b, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) gcds_0_pairs(const int n, int *a, const int *b, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = gcd(a[i], b[i]);
        const int value_next = gcd(a[i_next], b[i_next]);
        a[i] = value;
        a[i_next] = value_next;
    } else {
        gcds_0_group(n, a, b, group, item);
        if (next.x < end) {
            gcds_0_group(n, a, b, next, item);
        }
    }
}
