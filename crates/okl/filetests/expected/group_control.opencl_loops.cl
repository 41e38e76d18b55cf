// OpenCL C, made from OKL.
// @kernel leave: leave_0
// @kernel until: until_0
// @kernel which: which_0

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

__kernel void leave_0(__global const int *n_buffer, const long n_start, __global int *out_buffer, const long out_start, const long3 groups_1, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups_1.x * groups_1.y * groups_1.z);
    leave_0_groups(n_buffer + n_start, out_buffer + out_start, begin, end);
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

__kernel void until_0(const int n, __global int *out_buffer, const long out_start, const long3 groups, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups.x * groups.y * groups.z);
    until_0_groups(n, out_buffer + out_start, begin, end);
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

__kernel void which_0(__global int *out_buffer, const long out_start, const long3 groups_1, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups_1.x * groups_1.y * groups_1.z);
    which_0_groups(out_buffer + out_start, begin, end);
}
