// OpenCL C, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void rotate_0(__global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local int s[4];
    int mine;
    const int o = group_x;
    {
        const int i = (int)get_local_id(0);
        mine = x[4 * o + i];
        s[i] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[4 * o + i] = 10 * mine + s[(i + 1) % 4];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void twice_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    __local int s[4];
    int sum;
    {
        const int i = (int)get_local_id(0);
        sum = x[i];
        s[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        sum += s[i ^ 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        s[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        sum += s[i ^ 2];
        x[i] = sum;
    }
}
