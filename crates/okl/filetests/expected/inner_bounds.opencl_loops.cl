// OpenCL C, made from OKL.
// @kernel runtime: runtime_0
// @kernel folded: folded_0
// @kernel offset: offset_0

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

__kernel void runtime_0(const int items, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    int mine;
    {
        const int i = (int)get_local_id(0);
        mine = 10 * o + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[o * items + i] = mine;
    }
}

static inline void folded_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 3; ++i) {
            out[o * 3 + i] = 10 * o + i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } folded_0_launch;

__kernel void folded_0(__global int *out_buffer, const folded_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    folded_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void offset_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        const int i_start = 4 * o;
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            out[i] = i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } offset_0_launch;

__kernel void offset_0(__global int *out_buffer, const offset_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    offset_0_groups(out_buffer + launch.out_start, begin, end);
}
