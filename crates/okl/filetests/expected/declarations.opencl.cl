// OpenCL C, made from OKL.
// @kernel late: late_0
// @kernel several: several_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void late_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    __local int s[4];
    int a;
    {
        const int i = (int)get_local_id(0);
        a = 10 * i;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        s[i] = a;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        int b = 3;
        out[i] = s[i] + b;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void several_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    __local int s[4];
    __local int t[2][2];
    {
        const int i = (int)get_local_id(0);
        int b[2];
        int a = 1;
        b[0] = 2;
        b[1] = 100;
        s[i] = a + b[0];
        t[i / 2][i % 2] = b[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[i] = 10 * i + s[3 - i] + t[(3 - i) / 2][i % 2];
    }
}
