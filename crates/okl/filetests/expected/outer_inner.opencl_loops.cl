// OpenCL C, made from OKL.
// @kernel scale: scale_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline void scale_0_groups(const double a, __global const double *x, __global double *y, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            y[4 * o + i] = a * x[4 * o + i];
        }
    }
}

typedef struct { long x_start, y_start, dims[6], stretch; } scale_0_launch;

__kernel void scale_0(const double a, __global const double *x_buffer, __global double *y_buffer, const scale_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    scale_0_groups(a, x_buffer + launch.x_start, y_buffer + launch.y_start, begin, end);
}
