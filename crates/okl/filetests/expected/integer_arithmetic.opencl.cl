// OpenCL C, made from OKL.
// @kernel divide: divide_0
// @kernel bits: bits_0
// @kernel wraps: wraps_0
// @kernel precedence: precedence_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline void divide_0_group(int n, __global const int *a, __global const int *b, __global int *q, __global int *r, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void divide_0(const int n, __global const int *a_buffer, const long a_start, __global const int *b_buffer, const long b_start, __global int *q_buffer, const long q_start, __global int *r_buffer, const long r_start, const long3 first, const long end) {
    __global const int *a = a_buffer + a_start;
    __global const int *b = b_buffer + b_start;
    __global int *q = q_buffer + q_start;
    __global int *r = r_buffer + r_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int value = a[i] / b[i];
        const int value_next = a[i_next] / b[i_next];
        q[i] = value;
        q[i_next] = value_next;
        const int value_1 = a[i] % b[i];
        const int value_1_next = a[i_next] % b[i_next];
        r[i] = value_1;
        r[i_next] = value_1_next;
    } else {
        divide_0_group(n, a, b, q, r, group_x, group_y, group_z);
        if (next_x < end) {
            divide_0_group(n, a, b, q, r, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void bits_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    x[0] = 40;
    x[1] = -3;
    x[2] = 2147483644;
    x[3] = 1;
    x[4] = 12;
    x[5] = 8;
    x[6] = 6;
    x[7] = 14;
    x[8] = -13;
    x[9] = 255;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void wraps_0(__global uint *x_buffer, const long x_start, const long3 first) {
    __global uint *x = x_buffer + x_start;
    x[0] = 4294967295u;
    x[1] = 0;
    x[2] = 4294967291u;
    x[3] = 1;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void precedence_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    x[0] = 14;
    x[1] = 20;
    x[2] = 1;
    x[3] = 6;
    x[4] = 7;
    x[5] = 1;
    x[6] = 24;
    x[7] = -6;
}
