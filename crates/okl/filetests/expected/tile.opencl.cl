// OpenCL C, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void add_0(const int n, __global const float *a_buffer, const long a_start, __global const float *b_buffer, const long b_start, __global float *ab_buffer, const long ab_start, const long3 first) {
    __global const float *a = a_buffer + a_start;
    __global const float *b = b_buffer + b_start;
    __global float *ab = ab_buffer + ab_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        ab[i] = a[i] + b[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void from_0(const int lo, const int hi, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = lo + (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < hi) {
        out[i] = i;
    }
}
