// OpenCL C, made from OKL.
// @kernel scale: scale_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred turns at most.
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

__kernel void scale_0(const double a, __global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, const long3 groups_1, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups_1.x * groups_1.y * groups_1.z);
    scale_0_groups(a, x_buffer + x_start, y_buffer + y_start, begin, end);
}
