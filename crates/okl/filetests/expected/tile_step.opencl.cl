// OpenCL C, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void every_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 8;
    const int i = i_block + (int)get_local_id(0) * 2;
    if (i < n) {
        ++out[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void through_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i <= n) {
        ++out[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void down_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = n - 1 + (int)group_x * -4;
    const int i = i_block + (int)get_local_id(0) * -1;
    if (i >= 0) {
        ++out[i];
    }
}
