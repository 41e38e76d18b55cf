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

static inline void double_precision_0_group(__global const double *x, __global double *out, const long group_x, const long group_y, const long group_z) {
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void double_precision_0(__global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first, const long end) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    if (next_x < end) {
        const double value = sqrt(x[0]);
        const double value_next = sqrt(x[0]);
        out[0] = value;
        out[0] = value_next;
        const double value_1 = fabs(x[1]);
        const double value_1_next = fabs(x[1]);
        out[1] = value_1;
        out[1] = value_1_next;
        const double value_2 = floor(x[1]);
        const double value_2_next = floor(x[1]);
        out[2] = value_2;
        out[2] = value_2_next;
        const double value_3 = floor(x[2]);
        const double value_3_next = floor(x[2]);
        out[3] = value_3;
        out[3] = value_3_next;
        const double value_4 = ceil(x[1]);
        const double value_4_next = ceil(x[1]);
        out[4] = value_4;
        out[4] = value_4_next;
        const double value_5 = round(x[1]);
        const double value_5_next = round(x[1]);
        out[5] = value_5;
        out[5] = value_5_next;
        const double value_6 = ceil(x[2]);
        const double value_6_next = ceil(x[2]);
        out[6] = value_6;
        out[6] = value_6_next;
        const double value_7 = trunc(x[1]);
        const double value_7_next = trunc(x[1]);
        out[7] = value_7;
        out[7] = value_7_next;
        const double value_8 = rint(x[2]);
        const double value_8_next = rint(x[2]);
        out[8] = value_8;
        out[8] = value_8_next;
        const double value_9 = fmod(x[4], 3.0);
        const double value_9_next = fmod(x[4], 3.0);
        out[9] = value_9;
        out[9] = value_9_next;
        const double value_10 = fmin(x[1], x[0]);
        const double value_10_next = fmin(x[1], x[0]);
        out[10] = value_10;
        out[10] = value_10_next;
        const double value_11 = fmax(x[1], x[0]);
        const double value_11_next = fmax(x[1], x[0]);
        out[11] = value_11;
        out[11] = value_11_next;
        const double value_12 = copysign(x[4], x[1]);
        const double value_12_next = copysign(x[4], x[1]);
        out[12] = value_12;
        out[12] = value_12_next;
        const double value_13 = fma(x[0], x[2], 0.5);
        const double value_13_next = fma(x[0], x[2], 0.5);
        out[13] = value_13;
        out[13] = value_13_next;
        const double value_14 = isnan(x[0] / 0.0 - x[0] / 0.0);
        const double value_14_next = isnan(x[0] / 0.0 - x[0] / 0.0);
        out[14] = value_14;
        out[14] = value_14_next;
        const double value_15 = isnan(x[0]);
        const double value_15_next = isnan(x[0]);
        out[15] = value_15;
        out[15] = value_15_next;
        const double value_16 = isinf(x[0] / 0.0);
        const double value_16_next = isinf(x[0] / 0.0);
        out[16] = value_16;
        out[16] = value_16_next;
        const double value_17 = fmax(x[0], x[3]) + fmin(x[0], x[3]);
        const double value_17_next = fmax(x[0], x[3]) + fmin(x[0], x[3]);
        out[17] = value_17;
        out[17] = value_17_next;
        const double value_18 = isfinite(1.0 / 0.0);
        const double value_18_next = isfinite(1.0 / 0.0);
        out[18] = value_18;
        out[18] = value_18_next;
    } else {
        double_precision_0_group(x, out, group_x, group_y, group_z);
        if (next_x < end) {
            double_precision_0_group(x, out, next_x, group_y, group_z);
        }
    }
}

static inline void single_precision_0_group(__global const float *x, __global float *out, const long group_x, const long group_y, const long group_z) {
    out[0] = sqrt(x[0]);
    out[1] = fabs(x[1]);
    out[2] = floor(x[1]);
    out[3] = ceil(x[1]);
    out[4] = fmax(x[0], x[1]);
    out[5] = fmin(x[0], x[1]);
    out[6] = fma(x[2], x[2], 0.5f);
    out[7] = fmod(x[2], 1.0f);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void single_precision_0(__global const float *x_buffer, const long x_start, __global float *out_buffer, const long out_start, const long3 first, const long end) {
    __global const float *x = x_buffer + x_start;
    __global float *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    if (next_x < end) {
        const float value = sqrt(x[0]);
        const float value_next = sqrt(x[0]);
        out[0] = value;
        out[0] = value_next;
        const float value_1 = fabs(x[1]);
        const float value_1_next = fabs(x[1]);
        out[1] = value_1;
        out[1] = value_1_next;
        const float value_2 = floor(x[1]);
        const float value_2_next = floor(x[1]);
        out[2] = value_2;
        out[2] = value_2_next;
        const float value_3 = ceil(x[1]);
        const float value_3_next = ceil(x[1]);
        out[3] = value_3;
        out[3] = value_3_next;
        const float value_4 = fmax(x[0], x[1]);
        const float value_4_next = fmax(x[0], x[1]);
        out[4] = value_4;
        out[4] = value_4_next;
        const float value_5 = fmin(x[0], x[1]);
        const float value_5_next = fmin(x[0], x[1]);
        out[5] = value_5;
        out[5] = value_5_next;
        const float value_6 = fma(x[2], x[2], 0.5f);
        const float value_6_next = fma(x[2], x[2], 0.5f);
        out[6] = value_6;
        out[6] = value_6_next;
        const float value_7 = fmod(x[2], 1.0f);
        const float value_7_next = fmod(x[2], 1.0f);
        out[7] = value_7;
        out[7] = value_7_next;
    } else {
        single_precision_0_group(x, out, group_x, group_y, group_z);
        if (next_x < end) {
            single_precision_0_group(x, out, next_x, group_y, group_z);
        }
    }
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
