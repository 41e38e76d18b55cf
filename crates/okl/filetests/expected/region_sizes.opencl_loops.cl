// OpenCL C, made from OKL.
// @kernel sizes: sizes_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline void sizes_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[8];
        int mine[8];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            mine[i] = 10 * i;
            s[i] = i;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = s[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[i] = mine[i];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } sizes_0_launch;

__kernel void sizes_0(__global int *out_buffer, const sizes_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sizes_0_groups(out_buffer + launch.out_start, begin, end);
}
