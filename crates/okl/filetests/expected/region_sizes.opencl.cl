// OpenCL C, made from OKL.
// @kernel sizes: sizes_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void sizes_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    __local int s[8];
    int mine;
    if ((int)get_local_id(0) < 8) {
        const int i = (int)get_local_id(0);
        mine = 10 * i;
        s[i] = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if ((int)get_local_id(0) < 4) {
        const int i = (int)get_local_id(0);
        mine = s[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if ((int)get_local_id(0) < 8) {
        const int i = (int)get_local_id(0);
        out[i] = mine;
    }
}
