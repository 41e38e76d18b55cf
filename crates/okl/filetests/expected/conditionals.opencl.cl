// OpenCL C, made from OKL.
// @kernel taken: taken_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void taken_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    out[0] = 1;
    out[1] = 2;
    out[2] = 3;
    out[3] = 4;
    out[4] = 5;
    out[5] = 6;
    out[6] = 7;
    out[7] = 8;
    out[8] = 9;
}
