// OpenCL C, made from OKL.
// @kernel sum: sum_0
// @kernel shift: shift_0

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

static inline void sum_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        int mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = x[4 * o + i];
        }
        for (int step = 1; step < 4; step *= 2) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                s[i] = mine[i];
            }
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                mine[i] += s[i ^ step];
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            x[4 * o + i] = mine[i];
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } sum_0_launch;

__kernel void sum_0(__global int *x_buffer, const sum_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sum_0_groups(x_buffer + launch.x_start, begin, end);
}

static inline void shift_0_groups(const int turns, __global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        int next[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = x[i];
        }
        for (int k = 0; k < turns; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                next[i] = s[(i + 1) % 4];
            }
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                s[i] = next[i];
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            x[i] = s[i];
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } shift_0_launch;

__kernel void shift_0(const int turns, __global int *x_buffer, const shift_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    shift_0_groups(turns, x_buffer + launch.x_start, begin, end);
}
