// OpenCL C, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void shift_0_groups(const int n, __global const int *restrict a, __global int *restrict b, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        b[i] = a[i] + 1;
    }
}

typedef struct { long a_start, b_start, dims[6], stretch; } shift_0_launch;

__kernel void shift_0(const int n, __global const int *restrict a_buffer, __global int *restrict b_buffer, const shift_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    shift_0_groups(n, a_buffer + launch.a_start, b_buffer + launch.b_start, begin, end);
}

static inline void plain_0_groups(const int n, __global const int *a, __global int *b, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        b[i] = a[i] + 1;
    }
}

typedef struct { long a_start, b_start, dims[6], stretch; } plain_0_launch;

__kernel void plain_0(const int n, __global const int *a_buffer, __global int *b_buffer, const plain_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    plain_0_groups(n, a_buffer + launch.a_start, b_buffer + launch.b_start, begin, end);
}

static inline void both_0_groups(const int n, __global const int *restrict a, __global const int *restrict b, __global int *c, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        c[i] = a[i] + b[i];
    }
}

typedef struct { long a_start, b_start, c_start, dims[6], stretch; } both_0_launch;

__kernel void both_0(const int n, __global const int *restrict a_buffer, __global const int *restrict b_buffer, __global int *c_buffer, const both_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    both_0_groups(n, a_buffer + launch.a_start, b_buffer + launch.b_start, c_buffer + launch.c_start, begin, end);
}
