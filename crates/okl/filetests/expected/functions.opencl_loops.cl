// OpenCL C, made from OKL.
// @kernel apply: apply_0
// @kernel powers: powers_0
// @kernel gcds: gcds_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline double square(double x) {
    return x * x;
}

static inline double twice(double x) {
    return square(x) + square(-x);
}

static inline int power(int base, int exponent) {
    int result = 1;
    while (exponent > 0) {
        result *= base;
        --exponent;
    }
    return result;
}

static inline int gcd(int a, int b) {
    while (true) {
        if (b == 0) {
            return a;
        }
        const int r = a % b;
        a = b;
        b = r;
    }
}

static inline void apply_0_groups(const int n, __global const double *x, __global double *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = twice(x[i]);
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } apply_0_launch;

__kernel void apply_0(const int n, __global const double *x_buffer, __global double *out_buffer, const apply_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    apply_0_groups(n, x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void powers_0_groups(const int n, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = power(3, i);
    }
}

typedef struct { long out_start, dims[6], stretch; } powers_0_launch;

__kernel void powers_0(const int n, __global int *out_buffer, const powers_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    powers_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void gcds_0_groups(const int n, __global int *a, __global const int *b, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 4; i < i_end; ++i) {
        a[i] = gcd(a[i], b[i]);
    }
}

typedef struct { long a_start, b_start, dims[6], stretch; } gcds_0_launch;

__kernel void gcds_0(const int n, __global int *a_buffer, __global const int *b_buffer, const gcds_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    gcds_0_groups(n, a_buffer + launch.a_start, b_buffer + launch.b_start, begin, end);
}
