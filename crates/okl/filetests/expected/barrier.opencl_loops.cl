// OpenCL C, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT_SHORT: the same, of a few hundred turns at most.
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
            out[4 * o + i] = 10 * mine[i] + s[(i + 1) % 4];
        }
    }
}

__kernel void rotate_0(__global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 groups_1, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups_1.x * groups_1.y * groups_1.z);
    rotate_0_groups(x_buffer + x_start, out_buffer + out_start, begin, end);
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
            sum[i] += s[i ^ 1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = sum[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] += s[i ^ 2];
            x[i] = sum[i];
        }
    }
}

__kernel void twice_0(__global int *x_buffer, const long x_start, const long3 groups, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups.x * groups.y * groups.z);
    twice_0_groups(x_buffer + x_start, begin, end);
}
