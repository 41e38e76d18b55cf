// OpenCL C, made from OKL.
// @kernel sum: sum_0

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

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void sum_0_groups(__global const double *x, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        double s[8];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            s[i] = x[8 * o + i];
        }
        for (int half_1 = 4; half_1 > 0; half_1 /= 2) {
            const long i_end = okl_min_long(8, half_1);
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < i_end; ++i) {
                s[i] += s[i + half_1];
            }
        }
        out[o] = s[0];
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } sum_0_launch;

__kernel void sum_0(__global const double *x_buffer, __global double *out_buffer, const sum_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sum_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}
