// OpenCL C, made from OKL.
// @kernel copy: copy_0
// @kernel rows: rows_0
// @kernel walk: walk_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline void copy_0_group(int n, __global const double *x, __global double *y, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        y[i] = x[i] + 1.0;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void copy_0(const int n, __global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, const long3 first, const long end) {
    __global const double *x = x_buffer + x_start;
    __global double *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double value = x[i] + 1.0;
        const double value_next = x[i_next] + 1.0;
        y[i] = value;
        y[i_next] = value_next;
    } else {
        copy_0_group(n, x, y, group_x, group_y, group_z);
        if (next_x < end) {
            copy_0_group(n, x, y, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void rows_0(__global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int r = group_x;
    const int row_offset = 4 * r;
    int sum = 0;
    for (int c = 0; c < 4; ++c) {
        sum += x[(long)row_offset + c];
    }
    out[r] = sum;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void walk_0(__global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *out = out_buffer + out_start;
    long p_offset = 0;
    int sum = 0;
    while (x[p_offset]) {
        const long before = p_offset;
        p_offset = p_offset + 1;
        sum += x[before];
    }
    out[0] = sum;
    out[1] = p_offset;
}
