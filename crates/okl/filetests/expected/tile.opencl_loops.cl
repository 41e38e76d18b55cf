// OpenCL C, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void add_0_groups(const int n, __global const float *a, __global const float *b, __global float *ab, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        ab[i] = a[i] + b[i];
    }
}

typedef struct { long a_start, b_start, ab_start, dims[6], stretch; } add_0_launch;

__kernel void add_0(const int n, __global const float *a_buffer, __global const float *b_buffer, __global float *ab_buffer, const add_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    add_0_groups(n, a_buffer + launch.a_start, b_buffer + launch.b_start, ab_buffer + launch.ab_start, begin, end);
}

static inline void from_0_groups(const int lo, const int hi, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(lo + end * 4, hi);
    OKL_INDEPENDENT
    for (int i = lo + begin * 4; i < i_end; ++i) {
        out[i] = i;
    }
}

typedef struct { long out_start, dims[6], stretch; } from_0_launch;

__kernel void from_0(const int lo, const int hi, __global int *out_buffer, const from_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    from_0_groups(lo, hi, out_buffer + launch.out_start, begin, end);
}
