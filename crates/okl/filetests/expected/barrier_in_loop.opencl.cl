// OpenCL C, made from OKL.
// @kernel sum: sum_0
// @kernel shift: shift_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void sum_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    __local int s[4];
    int mine;
    {
        const int i = (int)get_local_id(0);
        mine = x[4 * o + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int step = 1; step < 4; step *= 2) {
        {
            const int i = (int)get_local_id(0);
            s[i] = mine;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        {
            const int i = (int)get_local_id(0);
            mine += s[i ^ step];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    {
        const int i = (int)get_local_id(0);
        x[4 * o + i] = mine;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void shift_0(const int turns, __global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    __local int s[4];
    int next;
    {
        const int i = (int)get_local_id(0);
        s[i] = x[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < turns; ++k) {
        {
            const int i = (int)get_local_id(0);
            next = s[(i + 1) % 4];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        {
            const int i = (int)get_local_id(0);
            s[i] = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    {
        const int i = (int)get_local_id(0);
        x[i] = s[i];
    }
}
