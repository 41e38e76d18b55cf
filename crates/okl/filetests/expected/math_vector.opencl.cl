// OpenCL C, made from OKL.
// @kernel waves: waves_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline void waves_0_group(int n, __global const double *x, __global double *y, __global float *z, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 32;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        const double angle = 0.37 * x[i] - 40.0;
        y[i] = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        z[i] = 1.0f;
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void waves_0(const int n, __global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, __global float *z_buffer, const long z_start, const long3 first, const long end) {
    __global const double *x = x_buffer + x_start;
    __global double *y = y_buffer + y_start;
    __global float *z = z_buffer + z_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 32;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 32;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double angle = 0.37 * x[i] - 40.0;
        const double value = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        const double angle_next = 0.37 * x[i_next] - 40.0;
        const double value_next = exp(0.05 * angle_next) * cos(angle_next) + sin(3.0 * angle_next) + log(1.0 + x[i_next]);
        y[i] = value;
        y[i_next] = value_next;
        const float value_1 = 1.0f;
        const float value_1_next = 1.0f;
        z[i] = value_1;
        z[i_next] = value_1_next;
    } else {
        waves_0_group(n, x, y, z, group_x, group_y, group_z);
        if (next_x < end) {
            waves_0_group(n, x, y, z, next_x, group_y, group_z);
        }
    }
}
