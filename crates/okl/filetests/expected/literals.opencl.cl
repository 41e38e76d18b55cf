// OpenCL C, made from OKL.
// @kernel integers: integers_0
// @kernel floats: floats_0
// @kernel widths: widths_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void integers_0(__global long *out_buffer, const long out_start, const long3 first) {
    __global long *out = out_buffer + out_start;
    out[0] = 10;
    out[1] = 8;
    out[2] = 255;
    out[3] = 5;
    out[4] = 4294967295l;
    out[5] = 4294967296l;
    out[6] = -1;
    out[7] = 65;
    out[8] = 10;
    out[9] = 92;
    out[10] = 0;
    out[11] = 27;
    out[12] = 18;
    out[13] = 1;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void floats_0(__global double *out_buffer, const long out_start, const long3 first) {
    __global double *out = out_buffer + out_start;
    out[0] = 1.5;
    out[1] = 0.5;
    out[2] = 2.0;
    out[3] = 1000.0;
    out[4] = 0.001;
    out[5] = 0.10000000149011612;
    out[6] = 1.5;
    out[7] = 3.0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void widths_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    out[0] = 1;
    out[1] = 2;
    out[2] = 4;
    out[3] = 8;
    out[4] = 8;
    out[5] = 4;
}
