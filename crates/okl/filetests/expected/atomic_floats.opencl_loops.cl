// OpenCL C, made from OKL.
// @kernel sum: sum_0
// @kernel sum_single: sum_single_0
// @kernel product: product_0
// @kernel quotient: quotient_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static inline double okl_atomic_add_double_global(__global double *at, double value) {
    volatile __global ulong *const word = (volatile __global ulong *)at;
    ulong seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = as_double(seen);
        next = old + value;
        seen = atom_cmpxchg(word, expected, as_ulong(next));
    } while (seen != expected);
    return old;
}

static inline float okl_atomic_div_float_global(__global float *at, float value) {
    volatile __global uint *const word = (volatile __global uint *)at;
    uint seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = as_float(seen);
        next = old / value;
        seen = atomic_cmpxchg(word, expected, as_uint(next));
    } while (seen != expected);
    return old;
}

static inline double okl_atomic_mul_double_global(__global double *at, double value) {
    volatile __global ulong *const word = (volatile __global ulong *)at;
    ulong seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = as_double(seen);
        next = old * value;
        seen = atom_cmpxchg(word, expected, as_ulong(next));
    } while (seen != expected);
    return old;
}

static inline float okl_atomic_sub_float_global(__global float *at, float value) {
    volatile __global uint *const word = (volatile __global uint *)at;
    uint seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = as_float(seen);
        next = old - value;
        seen = atomic_cmpxchg(word, expected, as_uint(next));
    } while (seen != expected);
    return old;
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void sum_0_groups(const int n, __global const double *x, __global double *total, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_add_double_global(&total[0], x[i]);
    }
}

typedef struct { long x_start, total_start, dims[6], stretch; } sum_0_launch;

__kernel void sum_0(const int n, __global const double *x_buffer, __global double *total_buffer, const sum_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sum_0_groups(n, x_buffer + launch.x_start, total_buffer + launch.total_start, begin, end);
}

static inline void sum_single_0_groups(const int n, __global const float *x, __global float *total, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_sub_float_global(&total[0], x[i]);
    }
}

typedef struct { long x_start, total_start, dims[6], stretch; } sum_single_0_launch;

__kernel void sum_single_0(const int n, __global const float *x_buffer, __global float *total_buffer, const sum_single_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sum_single_0_groups(n, x_buffer + launch.x_start, total_buffer + launch.total_start, begin, end);
}

static inline void product_0_groups(const int n, __global double *total, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_mul_double_global(&total[0], 2.0);
    }
}

typedef struct { long total_start, dims[6], stretch; } product_0_launch;

__kernel void product_0(const int n, __global double *total_buffer, const product_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    product_0_groups(n, total_buffer + launch.total_start, begin, end);
}

static inline void quotient_0_groups(const int n, __global float *total, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_div_float_global(&total[0], 2.0f);
    }
}

typedef struct { long total_start, dims[6], stretch; } quotient_0_launch;

__kernel void quotient_0(const int n, __global float *total_buffer, const quotient_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    quotient_0_groups(n, total_buffer + launch.total_start, begin, end);
}
