// OpenCL C, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline void add_0_group(int n, __global const float *a, __global const float *b, __global float *ab, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        ab[i] = a[i] + b[i];
    }
}

typedef struct { long a_start, b_start, ab_start, first[3], end; } add_0_launch;

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void add_0(const int n, __global const float *a_buffer, __global const float *b_buffer, __global float *ab_buffer, const add_0_launch launch) {
    __global const float *a = a_buffer + launch.a_start;
    __global const float *b = b_buffer + launch.b_start;
    __global float *ab = ab_buffer + launch.ab_start;
    const long group_x = launch.first[0] + (long)get_group_id(0) * (launch.end > 0 ? 2 : 1);
    const long group_y = launch.first[1] + (long)get_group_id(1);
    const long group_z = launch.first[2] + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < launch.end && i < n && i_next < n) {
        const float value = a[i] + b[i];
        const float value_next = a[i_next] + b[i_next];
        ab[i] = value;
        ab[i_next] = value_next;
    } else {
        add_0_group(n, a, b, ab, group_x, group_y, group_z);
        if (next_x < launch.end) {
            add_0_group(n, a, b, ab, next_x, group_y, group_z);
        }
    }
}

typedef struct { long out_start, first[3]; } from_0_launch;

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void from_0(const int lo, const int hi, __global int *out_buffer, const from_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
    const long group_x = launch.first[0] + (long)get_group_id(0);
    const int i_block = lo + (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < hi) {
        out[i] = i;
    }
}
