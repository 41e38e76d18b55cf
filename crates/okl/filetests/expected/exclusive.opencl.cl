// OpenCL C, made from OKL.
// @kernel scalars: scalars_0
// @kernel arrays: arrays_0
// @kernel tables: tables_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void scalars_0(__global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    double a;
    double b;
    {
        const int i = (int)get_local_id(0);
        b = 1.0;
        a = 2.0 * x[4 * o + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[4 * o + i] = a + b;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void arrays_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int a[3];
    {
        const int i = (int)get_local_id(0);
        for (int k = 0; k < 3; ++k) {
            a[k] = 10 * i + k;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[i] = a[0] + a[1] + a[2];
    }
}

__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void tables_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    int t[2][3];
    {
        const int i = (int)get_local_id(0);
        (&t[0][0])[0] = 0;
        (&t[0][0])[1] = 1;
        (&t[0][0])[2] = 2;
        (&t[0][0])[3] = 10;
        (&t[0][0])[4] = 20;
        (&t[0][0])[5] = 30;
        int shift = 10 * o;
        t[0][i] += shift * 3;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[3 * o + i] = t[0][i] + (i == 0 ? 0 : t[1][i - 1]);
    }
}
