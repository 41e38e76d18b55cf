// OpenCL C, made from OKL.
// @kernel names: names_0
// @kernel hiding: hiding_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

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

static inline int double_(int register_) {
    return 2 * register_;
}

static inline void names_0_groups(__global const int *in, __global int *out, const int global_1, const int restrict_, const long begin_1, const long end_1) {
    for (int o = begin_1; o < end_1; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int threadIdx = 0; threadIdx < 2; ++threadIdx) {
            out[threadIdx] = in[threadIdx] + global_1 + restrict_ - 1 + 1 + 2 + 3 + 4 + 5 + double_(3) + 4 - 3;
        }
    }
}

typedef struct { long in_start, out_start, dims[6], stretch; } names_0_launch;

__kernel void names_0(__global const int *in_buffer, __global int *out_buffer, const int global_1, const int restrict_, const names_0_launch launch) {
    const long begin_1 = (long)get_global_id(0) * launch.stretch;
    const long end_1 = min(begin_1 + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    names_0_groups(in_buffer + launch.in_start, out_buffer + launch.out_start, global_1, restrict_, begin_1, end_1);
}

static inline void hiding_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        const int a = 1;
        const int a_1 = 10;
        const int a_2 = 100;
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 2; ++i) {
            x[i] += a_2;
            x[i] += a_1;
            x[i] += a;
            for (int a_3 = 0; a_3 < 3 * i; ++a_3) {
                ++x[i];
            }
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } hiding_0_launch;

__kernel void hiding_0(__global int *x_buffer, const hiding_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    hiding_0_groups(x_buffer + launch.x_start, begin, end);
}
