// OpenCL C, made from OKL.
// @kernel taken: taken_0

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

static inline void taken_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1;
            out[1] = 2;
            out[2] = 3;
            out[3] = 4;
            out[4] = 5;
            out[5] = 6;
            out[6] = 7;
            out[7] = 8;
            out[8] = 9;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } taken_0_launch;

__kernel void taken_0(__global int *out_buffer, const taken_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    taken_0_groups(out_buffer + launch.out_start, begin, end);
}
