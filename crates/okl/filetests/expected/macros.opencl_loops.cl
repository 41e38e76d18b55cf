// OpenCL C, made from OKL.
// @kernel objects: objects_0
// @kernel functions: functions_0
// @kernel blocks: blocks_0

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

static inline int sum3(int a, int b, int c) {
    return a + b + c;
}

static inline void objects_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = 10 * i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } objects_0_launch;

__kernel void objects_0(__global int *out_buffer, const objects_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    objects_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void functions_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 25;
            out[1] = 7;
            out[2] = 3;
            out[3] = 12;
            out[4] = sum3(1, 2, 3);
            out[5] = 42;
            out[6] = 3;
            do {
                out[7] = 9;
            } while (false);
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } functions_0_launch;

__kernel void functions_0(__global int *out_buffer, const functions_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    functions_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void blocks_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 3;
            out[1] = 5;
            out[2] = 8;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } blocks_0_launch;

__kernel void blocks_0(__global int *out_buffer, const blocks_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    blocks_0_groups(out_buffer + launch.out_start, begin, end);
}
