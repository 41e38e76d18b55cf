// OpenCL C, made from OKL.
// @kernel leave: leave_0
// @kernel until: until_0
// @kernel which: which_0

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

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void leave_0_groups(__global const int *n, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        const int mine = n[o];
        if (!(mine == 0)) {
            const long i_end = okl_min_long(3, mine);
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < i_end; ++i) {
                ++out[3 * o + i];
            }
        }
    }
}

typedef struct { long n_start, out_start, dims[6], stretch; } leave_0_launch;

__kernel void leave_0(__global const int *n_buffer, __global int *out_buffer, const leave_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    leave_0_groups(n_buffer + launch.n_start, out_buffer + launch.out_start, begin, end);
}

static inline void until_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int left = n;
        while (left > 0) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                ++out[i];
            }
            left -= 3;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } until_0_launch;

__kernel void until_0(const int n, __global int *out_buffer, const until_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    until_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void which_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int base;
        if (o == 0) {
            base = 10;
        } else if (o == 1) {
            base = 20;
        } else {
            base = 30;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 2; ++i) {
            out[2 * o + i] = base + i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } which_0_launch;

__kernel void which_0(__global int *out_buffer, const which_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    which_0_groups(out_buffer + launch.out_start, begin, end);
}
