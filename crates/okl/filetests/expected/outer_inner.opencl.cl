// OpenCL C, made from OKL.
// @kernel scale: scale_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void scale_0(const double a, __global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int i = (int)get_local_id(0);
    y[4 * o + i] = a * x[4 * o + i];
}
