// OpenCL C, made from OKL.
// @kernel spread: spread_0
// @kernel apart: apart_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void spread_0(const int groups, __global const int *x_buffer, const long x_start, __global int *y_buffer, const long y_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int factor = x[o];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const int i = (int)get_local_id(0);
    y[o + i * groups] = i * factor;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void apart_0(const int groups, __global const int *restrict x_buffer, const long x_start, __global int *y_buffer, const long y_start, const long3 first) {
    __global const int *restrict x = x_buffer + x_start;
    __global int *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int factor = x[o];
    const int i = (int)get_local_id(0);
    y[o + i * groups] = i * factor;
}
