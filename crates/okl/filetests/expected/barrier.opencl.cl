// OpenCL C, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

typedef struct { long x_start, out_start, first[3]; } rotate_0_launch;

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void rotate_0(__global const int *x_buffer, __global int *out_buffer, const rotate_0_launch launch) {
    __global const int *x = x_buffer + launch.x_start;
    __global int *out = out_buffer + launch.out_start;
    const long group_x = launch.first[0] + (long)get_group_id(0);
    const int o = group_x;
    __local int s[4];
    int mine;
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

typedef struct { long x_start, first[3]; } twice_0_launch;

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void twice_0(__global int *x_buffer, const twice_0_launch launch) {
    __global int *x = x_buffer + launch.x_start;
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
