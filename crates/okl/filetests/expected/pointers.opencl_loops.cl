// OpenCL C, made from OKL.
// @kernel copy: copy_0
// @kernel rows: rows_0
// @kernel walk: walk_0

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

static inline void copy_0_groups(const int n, __global const double *x, __global double *y, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        y[i] = x[i] + 1.0;
    }
}

typedef struct { long x_start, y_start, dims[6], stretch; } copy_0_launch;

__kernel void copy_0(const int n, __global const double *x_buffer, __global double *y_buffer, const copy_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    copy_0_groups(n, x_buffer + launch.x_start, y_buffer + launch.y_start, begin, end);
}

static inline void rows_0_groups(__global const int *x, __global int *out, const long begin, const long end) {
    for (int r = begin; r < end; ++r) {
        const int row_offset = 4 * r;
        OKL_INDEPENDENT_GUARDED
        for (int k = 0; k < 1; ++k) {
            int sum = 0;
            for (int c = 0; c < 4; ++c) {
                sum += x[(long)row_offset + c];
            }
            out[r] = sum;
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } rows_0_launch;

__kernel void rows_0(__global const int *x_buffer, __global int *out_buffer, const rows_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    rows_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void walk_0_groups(__global const int *x, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int k = 0; k < 1; ++k) {
            long p_offset = 0;
            int sum = 0;
            while (x[p_offset]) {
                const long before = p_offset;
                p_offset = p_offset + 1;
                sum += x[before];
            }
            out[0] = sum;
            out[1] = p_offset;
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } walk_0_launch;

__kernel void walk_0(__global const int *x_buffer, __global int *out_buffer, const walk_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    walk_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}
