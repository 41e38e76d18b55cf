// OpenCL C, made from OKL.
// @kernel fill: fill_0

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

static inline void fill_0_groups(__global int *out, __private const long *dims, const long begin, const long end) {
    long group_x = begin % dims[0];
    long group_y = begin / dims[0];
    for (long group = begin; group < end; ++group) {
        const int b = group_x;
        const int a = group_y;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
        }
        for (int c = 0; c < 2; ++c) {
            OKL_INDEPENDENT_SHORT
            for (int d = 0; d < 2; ++d) {
                out[((a * 2 + b) * 2 + c) * 2 + d] = 1000 * a + 100 * b + 10 * c + d;
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } fill_0_launch;

__kernel void fill_0(__global int *out_buffer, const fill_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    fill_0_groups(out_buffer + launch.out_start, launch.dims, begin, end);
}
