// OpenCL C, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void every_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int i_block = group * 8;
        OKL_INDEPENDENT_GUARDED
        for (int i = i_block; i < (long)i_block + 8; i += 2) {
            if (i < n) {
                ++out[i];
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } every_0_launch;

__kernel void every_0(const int n, __global int *out_buffer, const every_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    every_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void through_0_groups(const int n, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, (long)n + 1);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        ++out[i];
    }
}

typedef struct { long out_start, dims[6], stretch; } through_0_launch;

__kernel void through_0(const int n, __global int *out_buffer, const through_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    through_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void down_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int i_block = n - 1 + group * -4;
        OKL_INDEPENDENT_GUARDED
        for (int i = i_block; i > (long)i_block + -4; --i) {
            if (i >= 0) {
                ++out[i];
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } down_0_launch;

__kernel void down_0(const int n, __global int *out_buffer, const down_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    down_0_groups(n, out_buffer + launch.out_start, begin, end);
}
