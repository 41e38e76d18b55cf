// OpenCL C, made from OKL.
// @kernel waves: waves_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void waves_0(const int n, __global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, __global float *z_buffer, const long z_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *y = y_buffer + y_start;
    __global float *z = z_buffer + z_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 32;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        const double angle = 0.37 * x[i] - 40.0;
        y[i] = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        z[i] = 1.0f;
    }
}
