// OpenCL C, made from OKL.
// @kernel mixed: mixed_0

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

static inline void mixed_0_groups(const double x, const float f, const int i, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = fmin(x, (double)f);
            out[1] = fmax((double)f, x);
            out[2] = copysign(x, (double)-f);
            out[3] = fma(x, (double)f, 1.0);
            out[4] = sqrt((double)i);
            out[5] = fmax((float)i, f);
            out[6] = fmin(x, (double)f);
            out[7] = fmax((double)f, x);
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } mixed_0_launch;

__kernel void mixed_0(const double x, const float f, const int i, __global double *out_buffer, const mixed_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    mixed_0_groups(x, f, i, out_buffer + launch.out_start, begin, end);
}
