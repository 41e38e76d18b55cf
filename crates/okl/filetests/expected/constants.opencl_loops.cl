// OpenCL C, made from OKL.
// @kernel stencil: stencil_0
// @kernel table: table_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

__constant double weights[3] = {1.0, -2.0, 1.0};

__constant int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

static inline double apply(__global const double *x) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += weights[k] * x[k - 1];
    }
    return sum;
}

static inline void stencil_0_groups(const int n, __global const double *x, __global double *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4 + 1, n - 1);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 4 + 1; i < i_end; ++i) {
        out[i] = apply(&x[i]);
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } stencil_0_launch;

__kernel void stencil_0(const int n, __global const double *x_buffer, __global double *out_buffer, const stencil_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    stencil_0_groups(n, x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void table_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 3; ++k) {
            out[3 * o + k] = grid[o][k];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } table_0_launch;

__kernel void table_0(__global int *out_buffer, const table_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    table_0_groups(out_buffer + launch.out_start, begin, end);
}
