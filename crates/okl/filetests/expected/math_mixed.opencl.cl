// OpenCL C, made from OKL.
// @kernel mixed: mixed_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void mixed_0(const double x, const float f, const int i, __global double *out_buffer, const long out_start, const long3 first) {
    __global double *out = out_buffer + out_start;
    out[0] = fmin(x, (double)f);
    out[1] = fmax((double)f, x);
    out[2] = copysign(x, (double)-f);
    out[3] = fma(x, (double)f, 1.0);
    out[4] = sqrt((double)i);
    out[5] = fmax((float)i, f);
    out[6] = fmin(x, (double)f);
    out[7] = fmax((double)f, x);
}
