// OpenCL C, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel scalar: scalar_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void reverse_0(__global double *x_buffer, const long x_start, const long3 first) {
    __global double *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local double s[4];
    const int o = group_x;
    {
        const int i = (int)get_local_id(0);
        s[i] = x[4 * o + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        x[4 * o + i] = s[3 - i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 4, 1))) void transpose_0(__global const int *in_buffer, const long in_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *in = in_buffer + in_start;
    __global int *out = out_buffer + out_start;
    __local int s[4][5];
    {
        const int i = (int)get_local_id(0);
        const int j = (int)get_local_id(1);
        s[j][i] = in[4 * j + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        const int j = (int)get_local_id(1);
        out[4 * j + i] = s[i][j];
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void scalar_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local int total;
    const int o = group_x;
    {
        const int i = (int)get_local_id(0);
        if (i == 1) {
            total = 7 * o;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[2 * o + i] = total;
    }
}
