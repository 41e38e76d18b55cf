// OpenCL C, made from OKL.
// @kernel scale: scale_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline void scale_0_group(double a, __global const double *x, __global double *y, const long group_x, const long group_y, const long group_z) {
    const int o = group_x;
    const int i = (int)get_local_id(0);
    y[4 * o + i] = a * x[4 * o + i];
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void scale_0(const double a, __global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, const long3 first, const long end) {
    __global const double *x = x_buffer + x_start;
    __global double *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int o = group_x;
    const int i = (int)get_local_id(0);
    const int o_next = next_x;
    const int i_next = (int)get_local_id(0);
    if (next_x < end) {
        const double value = a * x[4 * o + i];
        const double value_next = a * x[4 * o_next + i_next];
        y[4 * o + i] = value;
        y[4 * o_next + i_next] = value_next;
    } else {
        scale_0_group(a, x, y, group_x, group_y, group_z);
        if (next_x < end) {
            scale_0_group(a, x, y, next_x, group_y, group_z);
        }
    }
}
