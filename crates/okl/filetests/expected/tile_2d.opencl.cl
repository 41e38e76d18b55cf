// OpenCL C, made from OKL.
// @kernel transpose: transpose_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 4, 1))) void transpose_0(const int rows, const int columns, __global const double *in_buffer, const long in_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const double *in = in_buffer + in_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const long group_y = first.y + (long)get_group_id(1);
    const int c_block = (int)group_x * 4;
    const int r_block = (int)group_y * 4;
    const int c = c_block + (int)get_local_id(0);
    const int r = r_block + (int)get_local_id(1);
    if (r < rows) {
        if (c < columns) {
            out[c * rows + r] = in[r * columns + c];
        }
    }
}
