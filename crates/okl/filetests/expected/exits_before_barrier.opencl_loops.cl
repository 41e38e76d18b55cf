// OpenCL C, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0

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

static inline void skip_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        uchar done[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            done[i] = false;
        }
        {
            const int i = 1;
            done[i] = true;
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!done[i]) {
                x[i] = (uint)x[i] + 1;
            }
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } skip_0_launch;

__kernel void skip_0(__global int *x_buffer, const skip_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    skip_0_groups(x_buffer + launch.x_start, begin, end);
}

static inline void stop_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        uchar done[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            done[i] = false;
        }
        {
            const int i = 1;
            done[i] = true;
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!done[i]) {
                x[i] = (uint)x[i] + 1;
            }
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!done[i]) {
                x[i] = (uint)x[i] + 10;
            }
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } stop_0_launch;

__kernel void stop_0(__global int *x_buffer, const stop_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    stop_0_groups(x_buffer + launch.x_start, begin, end);
}
