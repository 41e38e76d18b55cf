// OpenCL C, made from OKL.
// @kernel fill: fill_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

typedef struct { long out_start, first[3]; } fill_0_launch;

__kernel void fill_0(const int items, __global int *out_buffer, const fill_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
    const long group_x = launch.first[0] + (long)get_group_id(0);
    const int o = (int)group_x * items;
    const int i = (int)get_local_id(0);
    out[o + i] = o + i;
}
