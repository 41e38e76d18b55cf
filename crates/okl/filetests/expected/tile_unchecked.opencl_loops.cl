// OpenCL C, made from OKL.
// @kernel fill: fill_0

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

static inline void fill_0_groups(__global int *out, const long begin, const long end) {
    const long i_end = end * 4;
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = i;
    }
}

typedef struct { long out_start, dims[6], stretch; } fill_0_launch;

__kernel void fill_0(__global int *out_buffer, const fill_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    fill_0_groups(out_buffer + launch.out_start, begin, end);
}
