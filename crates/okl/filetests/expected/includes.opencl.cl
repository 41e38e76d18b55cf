// OpenCL C, made from OKL.
// @kernel areas: areas_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline double area(double width, double height) {
    return width * height * 2.0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void areas_0(__global double *out_buffer, const long out_start, const long3 first) {
    __global double *out = out_buffer + out_start;
    out[0] = area(2.0, 3.0);
    out[1] = 2.0;
}
