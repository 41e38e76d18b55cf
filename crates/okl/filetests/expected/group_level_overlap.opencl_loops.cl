// OpenCL C, made from OKL.
// @kernel spread: spread_0
// @kernel disjoint: disjoint_0

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

static inline void spread_0_groups(const int groups, __global const int *x, __global int *y, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        const int factor = x[o];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            y[o + i * groups] = (uint)i * factor;
        }
    }
}

typedef struct { long x_start, y_start, dims[6], stretch; } spread_0_launch;

__kernel void spread_0(const int groups, __global const int *x_buffer, __global int *y_buffer, const spread_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    spread_0_groups(groups, x_buffer + launch.x_start, y_buffer + launch.y_start, begin, end);
}

static inline void disjoint_0_groups(const int groups, __global const int *restrict x, __global int *y, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        const int factor = x[o];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            y[o + i * groups] = (uint)i * factor;
        }
    }
}

typedef struct { long x_start, y_start, dims[6], stretch; } disjoint_0_launch;

__kernel void disjoint_0(const int groups, __global const int *restrict x_buffer, __global int *y_buffer, const disjoint_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    disjoint_0_groups(groups, x_buffer + launch.x_start, y_buffer + launch.y_start, begin, end);
}
