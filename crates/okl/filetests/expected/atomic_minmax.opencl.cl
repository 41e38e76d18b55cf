// OpenCL C, made from OKL.
// @kernel extremes: extremes_0
// @kernel floats: floats_0
// @kernel through_function: through_function_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

static inline int okl_atomic_add_int_global(__global int *at, int value) {
    return atomic_add(at, value);
}

static inline double okl_atomic_max_double_global(__global double *at, double value) {
    volatile __global ulong *const word = (volatile __global ulong *)at;
    ulong seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = as_double(seen);
        next = value > old ? value : old;
        seen = atom_cmpxchg(word, expected, as_ulong(next));
    } while (seen != expected);
    return old;
}

static inline long okl_atomic_max_long_global(__global long *at, long value) {
    return atom_max(at, value);
}

static inline float okl_atomic_min_float_global(__global float *at, float value) {
    volatile __global uint *const word = (volatile __global uint *)at;
    uint seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = as_float(seen);
        next = value < old ? value : old;
        seen = atomic_cmpxchg(word, expected, as_uint(next));
    } while (seen != expected);
    return old;
}

static inline int okl_atomic_min_int_global(__global int *at, int value) {
    return atomic_min(at, value);
}

static inline void count(__global int *counts, int at) {
    okl_atomic_add_int_global(&counts[at], 1);
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void extremes_0(const int n, __global const int *x_buffer, const long x_start, __global int *lo_buffer, const long lo_start, __global long *hi_buffer, const long hi_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *lo = lo_buffer + lo_start;
    __global long *hi = hi_buffer + hi_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_min_int_global(&lo[0], x[i]);
        okl_atomic_max_long_global(&hi[0], (long)x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void floats_0(const int n, __global const float *x_buffer, const long x_start, __global float *lo_buffer, const long lo_start, __global double *hi_buffer, const long hi_start, const long3 first) {
    __global const float *x = x_buffer + x_start;
    __global float *lo = lo_buffer + lo_start;
    __global double *hi = hi_buffer + hi_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_min_float_global(&lo[0], x[i]);
        okl_atomic_max_double_global(&hi[0], (double)x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void through_function_0(const int n, __global const int *x_buffer, const long x_start, __global int *counts_buffer, const long counts_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *counts = counts_buffer + counts_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        count(counts, x[i]);
    }
}
