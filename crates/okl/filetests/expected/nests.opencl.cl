// OpenCL C, made from OKL.
// @kernel chain: chain_0, chain_1, chain_2
// @kernel sweep: sweep_0
// @kernel shrink: shrink_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void chain_0(__global int *x_buffer, const long x_start, const int bound, const int shift, const long3 first) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < bound) {
        x[i] = i + shift;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void chain_1(__global int *x_buffer, const long x_start, const int bound, const int shift, const long3 first) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block_1 = (int)group_x * 4;
    const int i = i_block_1 + (int)get_local_id(0);
    if (i < bound) {
        x[i] += shift;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void chain_2(__global int *x_buffer, const long x_start, const int bound, const long3 first) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block_2 = (int)group_x * 4;
    const int i = i_block_2 + (int)get_local_id(0);
    if (i < bound) {
        x[i] *= 2;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sweep_0(__global int *x_buffer, const long x_start, const int weight, const int column, const long3 first) {
    __global int *x = x_buffer + x_start;
    const int i = column + 0;
    x[i] += weight;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void shrink_0(__global int *x_buffer, const long x_start, const int m, const long3 first) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < m) {
        ++x[i];
    }
}
