// OpenCL C, made from OKL.
// @kernel sum: sum_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void sum_0(__global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local double s[8];
    const int o = group_x;
    {
        const int i = (int)get_local_id(0);
        s[i] = x[8 * o + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int half_1 = 4; half_1 > 0; half_1 /= 2) {
        {
            const int i = (int)get_local_id(0);
            if (i < half_1) {
                s[i] += s[i + half_1];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    {
        const int i = (int)get_local_id(0);
        if (i == 0) {
            out[o] = s[0];
        }
    }
}
