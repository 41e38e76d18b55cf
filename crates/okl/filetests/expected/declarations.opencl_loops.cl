// OpenCL C, made from OKL.
// @kernel late: late_0
// @kernel several: several_0

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

static inline void late_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        int a[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            a[i] = 10 * i;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = a[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            int b = 3;
            out[i] = s[i] + b;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } late_0_launch;

__kernel void late_0(__global int *out_buffer, const late_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    late_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void several_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        int t[2][2];
        for (int i = 0; i < 4; ++i) {
            int b[2];
            int a = 1;
            b[0] = 2;
            b[1] = 100;
            s[i] = a + b[0];
            t[i / 2][i % 2] = b[1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = 10 * i + s[3 - i] + t[(3 - i) / 2][i % 2];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } several_0_launch;

__kernel void several_0(__global int *out_buffer, const several_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    several_0_groups(out_buffer + launch.out_start, begin, end);
}
