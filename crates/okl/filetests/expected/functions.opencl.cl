// OpenCL C, made from OKL.
// @kernel apply: apply_0
// @kernel powers: powers_0
// @kernel gcds: gcds_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline double square(double x) {
    return x * x;
}

static inline double twice(double x) {
    return square(x) + square(-x);
}

static inline int power(int base, int exponent) {
    int result = 1;
    while (exponent > 0) {
        result *= base;
        --exponent;
    }
    return result;
}

static inline int gcd(int a, int b) {
    while (true) {
        if (b == 0) {
            return a;
        }
        const int r = a % b;
        a = b;
        b = r;
    }
}

static inline void apply_0_group(int n, __global const double *x, __global double *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        out[i] = twice(x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void apply_0(const int n, __global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first, const long end) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double value = twice(x[i]);
        const double value_next = twice(x[i_next]);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        apply_0_group(n, x, out, group_x, group_y, group_z);
        if (next_x < end) {
            apply_0_group(n, x, out, next_x, group_y, group_z);
        }
    }
}

static inline void powers_0_group(int n, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        out[i] = power(3, i);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void powers_0(const int n, __global int *out_buffer, const long out_start, const long3 first, const long end) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int value = power(3, i);
        const int value_next = power(3, i_next);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        powers_0_group(n, out, group_x, group_y, group_z);
        if (next_x < end) {
            powers_0_group(n, out, next_x, group_y, group_z);
        }
    }
}

static inline void gcds_0_group(int n, __global int *a, __global const int *b, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        a[i] = gcd(a[i], b[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void gcds_0(const int n, __global int *a_buffer, const long a_start, __global const int *b_buffer, const long b_start, const long3 first, const long end) {
    __global int *a = a_buffer + a_start;
    __global const int *b = b_buffer + b_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int value = gcd(a[i], b[i]);
        const int value_next = gcd(a[i_next], b[i_next]);
        a[i] = value;
        a[i_next] = value_next;
    } else {
        gcds_0_group(n, a, b, group_x, group_y, group_z);
        if (next_x < end) {
            gcds_0_group(n, a, b, next_x, group_y, group_z);
        }
    }
}
