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

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void add_0(const int n, __global const float *a_buffer, const long a_start, __global const float *b_buffer, const long b_start, __global float *ab_buffer, const long ab_start, const long3 first, const long end) {
    __global const float *a = a_buffer + a_start;
    __global const float *b = b_buffer + b_start;
    __global float *ab = ab_buffer + ab_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const float value = a[i] + b[i];
        const float value_next = a[i_next] + b[i_next];
        ab[i] = value;
        ab[i_next] = value_next;
    } else {
        add_0_group(n, a, b, ab, group_x, group_y, group_z);
        if (next_x < end) {
            add_0_group(n, a, b, ab, next_x, group_y, group_z);
        }
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
