// OpenCL C, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void shift_0(const int n, __global const int *restrict a_buffer, const long a_start, __global int *restrict b_buffer, const long b_start, const long3 first) {
    __global const int *restrict a = a_buffer + a_start;
    __global int *restrict b = b_buffer + b_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        b[i] = a[i] + 1;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void plain_0(const int n, __global const int *a_buffer, const long a_start, __global int *b_buffer, const long b_start, const long3 first) {
    __global const int *a = a_buffer + a_start;
    __global int *b = b_buffer + b_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        b[i] = a[i] + 1;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void both_0(const int n, __global const int *restrict a_buffer, const long a_start, __global const int *restrict b_buffer, const long b_start, __global int *c_buffer, const long c_start, const long3 first) {
    __global const int *restrict a = a_buffer + a_start;
    __global const int *restrict b = b_buffer + b_start;
    __global int *c = c_buffer + c_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
