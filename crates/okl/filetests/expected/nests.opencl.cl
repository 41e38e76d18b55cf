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

static inline void chain_1_group(__global int *x, int bound, int shift, const long group_x, const long group_y, const long group_z) {
    const int i_block_1 = (int)group_x * 4;
    const int i = i_block_1 + (int)get_local_id(0);
    if (i < bound) {
        x[i] += shift;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void chain_1(__global int *x_buffer, const long x_start, const int bound, const int shift, const long3 first, const long end) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block_1 = (int)group_x * 4;
    const int i = i_block_1 + (int)get_local_id(0);
    const int i_block_1_next = (int)next_x * 4;
    const int i_next = i_block_1_next + (int)get_local_id(0);
    if (next_x < end && i < bound && i_next < bound) {
        const int value = x[i] + shift;
        const int value_next = x[i_next] + shift;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        chain_1_group(x, bound, shift, group_x, group_y, group_z);
        if (next_x < end) {
            chain_1_group(x, bound, shift, next_x, group_y, group_z);
        }
    }
}

static inline void chain_2_group(__global int *x, int bound, const long group_x, const long group_y, const long group_z) {
    const int i_block_2 = (int)group_x * 4;
    const int i = i_block_2 + (int)get_local_id(0);
    if (i < bound) {
        x[i] *= 2;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void chain_2(__global int *x_buffer, const long x_start, const int bound, const long3 first, const long end) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block_2 = (int)group_x * 4;
    const int i = i_block_2 + (int)get_local_id(0);
    const int i_block_2_next = (int)next_x * 4;
    const int i_next = i_block_2_next + (int)get_local_id(0);
    if (next_x < end && i < bound && i_next < bound) {
        const int value = x[i] * 2;
        const int value_next = x[i_next] * 2;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        chain_2_group(x, bound, group_x, group_y, group_z);
        if (next_x < end) {
            chain_2_group(x, bound, next_x, group_y, group_z);
        }
    }
}

static inline void sweep_0_group(__global int *x, int weight, int column, const long group_x, const long group_y, const long group_z) {
    const int i = column + 0;
    x[i] += weight;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sweep_0(__global int *x_buffer, const long x_start, const int weight, const int column, const long3 first, const long end) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i = column + 0;
    const int i_next = column + 0;
    if (next_x < end) {
        const int value = x[i] + weight;
        const int value_next = x[i_next] + weight;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        sweep_0_group(x, weight, column, group_x, group_y, group_z);
        if (next_x < end) {
            sweep_0_group(x, weight, column, next_x, group_y, group_z);
        }
    }
}

static inline void shrink_0_group(__global int *x, int m, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < m) {
        ++x[i];
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void shrink_0(__global int *x_buffer, const long x_start, const int m, const long3 first, const long end) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < m && i_next < m) {
        const int value = x[i] + 1;
        const int value_next = x[i_next] + 1;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        shrink_0_group(x, m, group_x, group_y, group_z);
        if (next_x < end) {
            shrink_0_group(x, m, next_x, group_y, group_z);
        }
    }
}
