// OpenCL C, made from OKL.
// @kernel runtime: runtime_0
// @kernel folded: folded_0
// @kernel offset: offset_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel void runtime_0(const int items, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    int mine;
    {
        const int i = (int)get_local_id(0);
        mine = 10 * o + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[o * items + i] = mine;
    }
}

__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void folded_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int i = (int)get_local_id(0);
    out[o * 3 + i] = 10 * o + i;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void offset_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int i_start = 4 * o;
    const int i = i_start + (int)get_local_id(0);
    out[i] = i;
}
