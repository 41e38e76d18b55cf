// OpenCL C, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline void shift_0_group(int n, __global const int *restrict a, __global int *restrict b, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        b[i] = a[i] + 1;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void shift_0(const int n, __global const int *restrict a_buffer, const long a_start, __global int *restrict b_buffer, const long b_start, const long3 first, const long end) {
    __global const int *restrict a = a_buffer + a_start;
    __global int *restrict b = b_buffer + b_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int value = a[i] + 1;
        const int value_next = a[i_next] + 1;
        b[i] = value;
        b[i_next] = value_next;
    } else {
        shift_0_group(n, a, b, group_x, group_y, group_z);
        if (next_x < end) {
            shift_0_group(n, a, b, next_x, group_y, group_z);
        }
    }
}

static inline void plain_0_group(int n, __global const int *a, __global int *b, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        b[i] = a[i] + 1;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void plain_0(const int n, __global const int *a_buffer, const long a_start, __global int *b_buffer, const long b_start, const long3 first, const long end) {
    __global const int *a = a_buffer + a_start;
    __global int *b = b_buffer + b_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int value = a[i] + 1;
        const int value_next = a[i_next] + 1;
        b[i] = value;
        b[i_next] = value_next;
    } else {
        plain_0_group(n, a, b, group_x, group_y, group_z);
        if (next_x < end) {
            plain_0_group(n, a, b, next_x, group_y, group_z);
        }
    }
}

static inline void both_0_group(int n, __global const int *restrict a, __global const int *restrict b, __global int *c, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void both_0(const int n, __global const int *restrict a_buffer, const long a_start, __global const int *restrict b_buffer, const long b_start, __global int *c_buffer, const long c_start, const long3 first, const long end) {
    __global const int *restrict a = a_buffer + a_start;
    __global const int *restrict b = b_buffer + b_start;
    __global int *c = c_buffer + c_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int value = a[i] + b[i];
        const int value_next = a[i_next] + b[i_next];
        c[i] = value;
        c[i_next] = value_next;
    } else {
        both_0_group(n, a, b, c, group_x, group_y, group_z);
        if (next_x < end) {
            both_0_group(n, a, b, c, next_x, group_y, group_z);
        }
    }
}
