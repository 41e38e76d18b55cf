// OpenCL C, made from OKL.
// @kernel by_group: by_group_0
// @kernel by_item: by_item_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__constant int weights[3] = {10, 20, 30};

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void by_group_0(__global const int *u_buffer, const long u_start, __global int *v_buffer, const long v_start, const long3 first) {
    __global const int *u = u_buffer + u_start;
    __global int *v = v_buffer + v_start;
    const long group_x = first.x + (long)get_group_id(0);
    const long group_y = first.y + (long)get_group_id(1);
    const int b = group_x;
    const int k = group_y;
    const int weight = weights[b];
    v[k * 3 + b] = weight * u[k * 3 + b];
}

static inline void by_item_0_group(int n, __global const int *u, __global int *v, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        const int weight = weights[i % 3];
        v[i] = weight * u[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void by_item_0(const int n, __global const int *u_buffer, const long u_start, __global int *v_buffer, const long v_start, const long3 first, const long end) {
    __global const int *u = u_buffer + u_start;
    __global int *v = v_buffer + v_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const int weight = weights[i % 3];
        const int value = weight * u[i];
        const int weight_next = weights[i_next % 3];
        const int value_next = weight_next * u[i_next];
        v[i] = value;
        v[i_next] = value_next;
    } else {
        by_item_0_group(n, u, v, group_x, group_y, group_z);
        if (next_x < end) {
            by_item_0_group(n, u, v, next_x, group_y, group_z);
        }
    }
}
