// OpenCL C, made from OKL.
// @kernel chain: chain_0, chain_1, chain_2
// @kernel sweep: sweep_0
// @kernel shrink: shrink_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void chain_0_groups(__global int *x, const int bound, const int shift, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] = i + shift;
    }
}

typedef struct { long x_start, dims[6], stretch; } chain_0_launch;

__kernel void chain_0(__global int *x_buffer, const int bound, const int shift, const chain_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    chain_0_groups(x_buffer + launch.x_start, bound, shift, begin, end);
}

static inline void chain_1_groups(__global int *x, const int bound, const int shift, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] += shift;
    }
}

typedef struct { long x_start, dims[6], stretch; } chain_1_launch;

__kernel void chain_1(__global int *x_buffer, const int bound, const int shift, const chain_1_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    chain_1_groups(x_buffer + launch.x_start, bound, shift, begin, end);
}

static inline void chain_2_groups(__global int *x, const int bound, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] *= 2;
    }
}

typedef struct { long x_start, dims[6], stretch; } chain_2_launch;

__kernel void chain_2(__global int *x_buffer, const int bound, const chain_2_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    chain_2_groups(x_buffer + launch.x_start, bound, begin, end);
}

static inline void sweep_0_groups(__global int *x, const int weight, const int column, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = column; i < column + 1; ++i) {
            x[i] += weight;
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } sweep_0_launch;

__kernel void sweep_0(__global int *x_buffer, const int weight, const int column, const sweep_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sweep_0_groups(x_buffer + launch.x_start, weight, column, begin, end);
}

static inline void shrink_0_groups(__global int *x, const int m, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, m);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        ++x[i];
    }
}

typedef struct { long x_start, dims[6], stretch; } shrink_0_launch;

__kernel void shrink_0(__global int *x_buffer, const int m, const shrink_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    shrink_0_groups(x_buffer + launch.x_start, m, begin, end);
}
