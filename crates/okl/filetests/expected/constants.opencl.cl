// OpenCL C, made from OKL.
// @kernel stencil: stencil_0
// @kernel table: table_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__constant double weights[3] = {1.0, -2.0, 1.0};

__constant int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

static inline double apply(__global const double *x) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += weights[k] * x[k - 1];
    }
    return sum;
}

static inline void stencil_0_group(int n, __global const double *x, __global double *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = 1 + (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n - 1) {
        out[i] = apply(&x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void stencil_0(const int n, __global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first, const long end) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = 1 + (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = 1 + (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n - 1 && i_next < n - 1) {
        const double value = apply(&x[i]);
        const double value_next = apply(&x[i_next]);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        stencil_0_group(n, x, out, group_x, group_y, group_z);
        if (next_x < end) {
            stencil_0_group(n, x, out, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void table_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int k = (int)get_local_id(0);
    out[3 * o + k] = grid[o][k];
}
