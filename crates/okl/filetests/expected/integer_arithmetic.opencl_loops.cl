// OpenCL C, made from OKL.
// @kernel divide: divide_0
// @kernel bits: bits_0
// @kernel wraps: wraps_0
// @kernel precedence: precedence_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void divide_0_groups(const int n, __global const int *a, __global const int *b, __global int *q, __global int *r, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}

typedef struct { long a_start, b_start, q_start, r_start, dims[6], stretch; } divide_0_launch;

__kernel void divide_0(const int n, __global const int *a_buffer, __global const int *b_buffer, __global int *q_buffer, __global int *r_buffer, const divide_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    divide_0_groups(n, a_buffer + launch.a_start, b_buffer + launch.b_start, q_buffer + launch.q_start, r_buffer + launch.r_start, begin, end);
}

static inline void bits_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            x[0] = 40;
            x[1] = -3;
            x[2] = 2147483644;
            x[3] = 1;
            x[4] = 12;
            x[5] = 8;
            x[6] = 6;
            x[7] = 14;
            x[8] = -13;
            x[9] = 255;
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } bits_0_launch;

__kernel void bits_0(__global int *x_buffer, const bits_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    bits_0_groups(x_buffer + launch.x_start, begin, end);
}

static inline void wraps_0_groups(__global uint *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            x[0] = 4294967295u;
            x[1] = 0;
            x[2] = 4294967291u;
            x[3] = 1;
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } wraps_0_launch;

__kernel void wraps_0(__global uint *x_buffer, const wraps_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    wraps_0_groups(x_buffer + launch.x_start, begin, end);
}

static inline void precedence_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            x[0] = 14;
            x[1] = 20;
            x[2] = 1;
            x[3] = 6;
            x[4] = 7;
            x[5] = 1;
            x[6] = 24;
            x[7] = -6;
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } precedence_0_launch;

__kernel void precedence_0(__global int *x_buffer, const precedence_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    precedence_0_groups(x_buffer + launch.x_start, begin, end);
}
