// OpenCL C, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

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

static inline void rotate_0_groups(__global const int *x, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        int mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = x[4 * o + i];
            s[i] = mine[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[4 * o + i] = 10 * (uint)mine[i] + s[(i + 1) % 4];
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } rotate_0_launch;

__kernel void rotate_0(__global const int *x_buffer, __global int *out_buffer, const rotate_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    rotate_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void twice_0_groups(__global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        int sum[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] = x[i];
            s[i] = sum[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] = (uint)sum[i] + s[i ^ 1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = sum[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] = (uint)sum[i] + s[i ^ 2];
            x[i] = sum[i];
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } twice_0_launch;

__kernel void twice_0(__global int *x_buffer, const twice_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    twice_0_groups(x_buffer + launch.x_start, begin, end);
}
