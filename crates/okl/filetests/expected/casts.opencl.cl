// OpenCL C, made from OKL.
// @kernel casts: casts_0
// @kernel floats: floats_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void casts_0(const double x, const int big, __global long *out_buffer, const long out_start, const long3 first) {
    __global long *out = out_buffer + out_start;
    out[0] = (int)x;
    out[1] = 255;
    out[2] = (char)big;
    out[3] = 4294967295l;
    out[4] = -1;
    out[5] = 1;
    out[6] = 0;
    out[7] = 65;
    out[8] = 3;
    out[9] = 2;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void floats_0(const double third, __global double *out_buffer, const long out_start, const long3 first) {
    __global double *out = out_buffer + out_start;
    out[0] = (float)third;
    out[1] = 4294967296.0;
    out[2] = -5.0 / 2.0 + 0.5;
}
