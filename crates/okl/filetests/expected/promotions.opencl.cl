// OpenCL C, made from OKL.
// @kernel mixed: mixed_0
// @kernel floats: floats_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void mixed_0(const int a, const uint u, const uchar c, const short s, const long l, const float f, const double d, __global long *out_buffer, const long out_start, const long3 first) {
    __global long *out = out_buffer + out_start;
    out[0] = (uint)a < u;
    out[1] = l < u;
    out[2] = a * u;
    out[3] = c + c;
    out[4] = s + s;
    out[5] = s < c;
    out[6] = a == 4294967295u;
    out[7] = f == d;
    out[8] = (a < 0) + (c > 0) + (s != 0);
    out[9] = 1;
    out[10] = 4294967295l;
    out[11] = 1;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void floats_0(const int i, __global float *out_buffer, const long out_start, __global double *wide_buffer, const long wide_start, const long3 first) {
    __global float *out = out_buffer + out_start;
    __global double *wide = wide_buffer + wide_start;
    out[0] = i;
    out[1] = i * 1.0f;
    out[2] = 1.0f / 2.0f;
    out[3] = 3.0f;
    wide[0] = i * 1.0;
    wide[1] = 1.0f / 2.0f;
    wide[2] = 0.1f + 0.2f;
    wide[3] = 0.1 + 0.2;
}
