// OpenCL C, made from OKL.
// @kernel stencil: stencil_0
// @kernel table: table_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__constant double weights[3] = {1.0, -2.0, 1.0};

__constant int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

static inline double apply(__global const double *x) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += weights[k] * x[k - 1];
    }
    return sum;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void stencil_0(const int n, __global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = 1 + (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n - 1) {
        out[i] = apply(&x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void table_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int k = (int)get_local_id(0);
    out[3 * o + k] = grid[o][k];
}
