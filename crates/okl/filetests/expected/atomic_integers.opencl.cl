// OpenCL C, made from OKL.
// @kernel forms: forms_0
// @kernel histogram: histogram_0
// @kernel unsigned_long: unsigned_long_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

static inline int okl_atomic_add_int_global(__global int *at, int value) {
    return atomic_add(at, value);
}

static inline int okl_atomic_add_int_local(__local int *at, int value) {
    return atomic_add(at, value);
}

static inline ulong okl_atomic_add_ulong_global(__global ulong *at, ulong value) {
    return atom_add(at, value);
}

static inline int okl_atomic_and_int_global(__global int *at, int value) {
    return atomic_and(at, value);
}

static inline int okl_atomic_exchange_int_global(__global int *at, int value) {
    return atomic_xchg(at, value);
}

static inline int okl_atomic_mul_int_global(__global int *at, int value) {
    volatile __global uint *const word = (volatile __global uint *)at;
    uint seen = *word, expected;
    int old, next;
    do {
        expected = seen;
        old = as_int(seen);
        next = old * value;
        seen = atomic_cmpxchg(word, expected, as_uint(next));
    } while (seen != expected);
    return old;
}

static inline int okl_atomic_or_int_global(__global int *at, int value) {
    return atomic_or(at, value);
}

static inline int okl_atomic_sub_int_global(__global int *at, int value) {
    return atomic_sub(at, value);
}

static inline int okl_atomic_xor_int_global(__global int *at, int value) {
    return atomic_xor(at, value);
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void forms_0(const int n, __global int *a_buffer, const long a_start, const long3 first) {
    __global int *a = a_buffer + a_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_add_int_global(&a[0], 1);
        okl_atomic_sub_int_global(&a[1], 2);
        okl_atomic_add_int_global(&a[2], 1);
        okl_atomic_sub_int_global(&a[3], 1);
        okl_atomic_mul_int_global(&a[4], 2);
        okl_atomic_and_int_global(&a[5], ~(1 << i));
        okl_atomic_or_int_global(&a[6], 1 << i);
        okl_atomic_xor_int_global(&a[7], 1 << i);
        okl_atomic_exchange_int_global(&a[8], 5);
    }
}

__kernel __attribute__((reqd_work_group_size(5, 1, 1))) void histogram_0(const int n, __global const int *x_buffer, const long x_start, __global int *bins_buffer, const long bins_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *bins = bins_buffer + bins_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    __local int local_bins[4];
    {
        const int i = (int)get_local_id(0);
        if (i < 4) {
            local_bins[i] = 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (5 * o + i < n) {
            okl_atomic_add_int_local(&local_bins[x[5 * o + i]], 1);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (i < 4) {
            okl_atomic_add_int_global(&bins[i], local_bins[i]);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void unsigned_long_0(const int n, __global ulong *a_buffer, const long a_start, const long3 first) {
    __global ulong *a = a_buffer + a_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_add_ulong_global(&a[0], 1);
    }
}
