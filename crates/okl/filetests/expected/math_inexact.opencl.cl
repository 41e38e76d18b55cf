// OpenCL C, made from OKL.
// @kernel one_each: one_each_0
// @kernel single: single_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline double okl_rsqrt_double(double a) {
    return 1.0 / sqrt(a);
}

static inline float okl_rsqrt_float(float a) {
    return 1.0f / sqrt(a);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void one_each_0(const double x, __global double *out_buffer, const long out_start, const long3 first) {
    __global double *out = out_buffer + out_start;
    out[0] = exp(x);
    out[1] = exp2(x);
    out[2] = expm1(1e-5 + (x - 0.5));
    out[3] = log(2.5 + (x - 0.5));
    out[4] = log2(10.0 + (x - 0.5));
    out[5] = log10(50.0 + (x - 0.5));
    out[6] = log1p(1e-5 + (x - 0.5));
    out[7] = sin(x);
    out[8] = cos(x);
    out[9] = tan(x);
    out[10] = asin(x);
    out[11] = acos(x);
    out[12] = atan(x);
    out[13] = sinh(x);
    out[14] = cosh(x);
    out[15] = tanh(x);
    out[16] = asinh(x);
    out[17] = acosh(1.5 + (x - 0.5));
    out[18] = atanh(x);
    out[19] = erf(x);
    out[20] = erfc(x);
    out[21] = cbrt(2.0 + (x - 0.5));
    out[22] = tgamma(4.5 + (x - 0.5));
    out[23] = lgamma(4.5 + (x - 0.5));
    out[24] = pow(1.0 + x, 2.0 + x);
    out[25] = atan2(0.5 + x, -1.5 - x);
    out[26] = hypot(2.5 + x, 4.0 + x);
    out[27] = okl_rsqrt_double(1.5 + x);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void single_0(const float x, __global float *out_buffer, const long out_start, const long3 first) {
    __global float *out = out_buffer + out_start;
    out[0] = exp(x);
    out[1] = log(x);
    out[2] = sin(x);
    out[3] = cos(x);
    out[4] = tanh(x);
    out[5] = pow(x, 0.25f);
    out[6] = atan2(x, -1.0f);
    out[7] = okl_rsqrt_float(x);
}
