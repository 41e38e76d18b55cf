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

static inline void fill_0_groups(const int items, __global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int o = group * items;
        OKL_INDEPENDENT
        for (int i = 0; i < items; ++i) {
            out[o + i] = o + i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } fill_0_launch;

__kernel void fill_0(const int items, __global int *out_buffer, const fill_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    fill_0_groups(items, out_buffer + launch.out_start, begin, end);
}
