// OpenCL C, made from OKL.
// @kernel fill: fill_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

typedef struct { long out_start, first[3]; } fill_0_launch;

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fill_0(__global int *out_buffer, const fill_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
    const long group_x = launch.first[0] + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    out[i] = i;
}
