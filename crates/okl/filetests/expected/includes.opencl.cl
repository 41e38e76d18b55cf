// OpenCL C, made from OKL.
// @kernel areas: areas_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline double area(double width, double height) {
    return width * height * 2.0;
}

static inline void areas_0_group(__global double *out, const long group_x, const long group_y, const long group_z) {
    out[0] = area(2.0, 3.0);
    out[1] = 2.0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void areas_0(__global double *out_buffer, const long out_start, const long3 first, const long end) {
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    if (next_x < end) {
        const double value = area(2.0, 3.0);
        const double value_next = area(2.0, 3.0);
        out[0] = value;
        out[0] = value_next;
        const double value_1 = 2.0;
        const double value_1_next = 2.0;
        out[1] = value_1;
        out[1] = value_1_next;
    } else {
        areas_0_group(out, group_x, group_y, group_z);
        if (next_x < end) {
            areas_0_group(out, next_x, group_y, group_z);
        }
    }
}
