// OpenCL C, made from OKL.
// @kernel double_precision: double_precision_0
// @kernel single_precision: single_precision_0
// @kernel integers: integers_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline int okl_abs_int(int a) {
    return a < 0 ? -a : a;
}

static inline int okl_max_int(int a, int b) {
    return a > b ? a : b;
}

static inline uint okl_max_uint(uint a, uint b) {
    return a > b ? a : b;
}

static inline int okl_min_int(int a, int b) {
    return a < b ? a : b;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void double_precision_0(__global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    out[0] = sqrt(x[0]);
    out[1] = fabs(x[1]);
    out[2] = floor(x[1]);
    out[3] = floor(x[2]);
    out[4] = ceil(x[1]);
    out[5] = round(x[1]);
    out[6] = ceil(x[2]);
    out[7] = trunc(x[1]);
    out[8] = rint(x[2]);
    out[9] = fmod(x[4], 3.0);
    out[10] = fmin(x[1], x[0]);
    out[11] = fmax(x[1], x[0]);
    out[12] = copysign(x[4], x[1]);
    out[13] = fma(x[0], x[2], 0.5);
    out[14] = isnan(x[0] / 0.0 - x[0] / 0.0);
    out[15] = isnan(x[0]);
    out[16] = isinf(x[0] / 0.0);
    out[17] = fmax(x[0], x[3]) + fmin(x[0], x[3]);
    out[18] = isfinite(1.0 / 0.0);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void single_precision_0(__global const float *x_buffer, const long x_start, __global float *out_buffer, const long out_start, const long3 first) {
    __global const float *x = x_buffer + x_start;
    __global float *out = out_buffer + out_start;
    out[0] = sqrt(x[0]);
    out[1] = fabs(x[1]);
    out[2] = floor(x[1]);
    out[3] = ceil(x[1]);
    out[4] = fmax(x[0], x[1]);
    out[5] = fmin(x[0], x[1]);
    out[6] = fma(x[2], x[2], 0.5f);
    out[7] = fmod(x[2], 1.0f);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void integers_0(const int a, const int b, const uint u, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    out[0] = okl_abs_int(a);
    out[1] = okl_min_int(a, b);
    out[2] = okl_max_int(a, b);
    out[3] = okl_max_uint(u, 3);
    out[4] = okl_abs_int(a) > b ? okl_abs_int(a) : b;
    out[5] = okl_min_int(b, a);
}
