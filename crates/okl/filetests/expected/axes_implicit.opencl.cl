// OpenCL C, made from OKL.
// @kernel fill: fill_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(2, 2, 1))) void fill_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const long group_y = first.y + (long)get_group_id(1);
    const int b = group_x;
    const int a = group_y;
    const int d = (int)get_local_id(0);
    const int c = (int)get_local_id(1);
    out[((a * 2 + b) * 2 + c) * 2 + d] = 1000 * a + 100 * b + 10 * c + d;
}
