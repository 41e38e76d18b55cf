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

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void sum_0(const int n, __global const double *x_buffer, const long x_start, __global double *total_buffer, const long total_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *total = total_buffer + total_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_add_double_global(&total[0], x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void sum_single_0(const int n, __global const float *x_buffer, const long x_start, __global float *total_buffer, const long total_start, const long3 first) {
    __global const float *x = x_buffer + x_start;
    __global float *total = total_buffer + total_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_sub_float_global(&total[0], x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void product_0(const int n, __global double *total_buffer, const long total_start, const long3 first) {
    __global double *total = total_buffer + total_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_mul_double_global(&total[0], 2.0);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void quotient_0(const int n, __global float *total_buffer, const long total_start, const long3 first) {
    __global float *total = total_buffer + total_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_div_float_global(&total[0], 2.0f);
    }
}
