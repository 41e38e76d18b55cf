// OpenCL C, made from OKL.
// @kernel by_group: by_group_0
// @kernel by_item: by_item_0

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

__constant int weights[3] = {10, 20, 30};

static inline void by_group_0_groups(__global const int *u, __global int *v, __private const long *dims, const long begin, const long end) {
    long group_x = begin % dims[0];
    long group_y = begin / dims[0];
    for (long group = begin; group < end; ++group) {
        const int b = group_x;
        const int k = group_y;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
        }
        const int weight = weights[b];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 1; ++i) {
            v[k * 3 + b] = weight * u[k * 3 + b];
        }
    }
}

typedef struct { long u_start, v_start, dims[6], stretch; } by_group_0_launch;

__kernel void by_group_0(__global const int *u_buffer, __global int *v_buffer, const by_group_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    by_group_0_groups(u_buffer + launch.u_start, v_buffer + launch.v_start, launch.dims, begin, end);
}

static inline void by_item_0_groups(const int n, __global const int *u, __global int *v, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        const int weight = weights[i % 3];
        v[i] = weight * u[i];
    }
}

typedef struct { long u_start, v_start, dims[6], stretch; } by_item_0_launch;

__kernel void by_item_0(const int n, __global const int *u_buffer, __global int *v_buffer, const by_item_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    by_item_0_groups(n, u_buffer + launch.u_start, v_buffer + launch.v_start, begin, end);
}
