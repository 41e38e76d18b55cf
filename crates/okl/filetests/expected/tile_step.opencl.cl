// OpenCL C, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline void every_0_group(int n, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 8;
    const int i = i_block + (int)get_local_id(0) * 2;
    if (i < n) {
        ++out[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void every_0(const int n, __global int *out_buffer, const long out_start, const long3 first, const long end) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 8;
    const int i = i_block + (int)get_local_id(0) * 2;
    const int i_block_next = (int)next_x * 8;
    const int i_next = i_block_next + (int)get_local_id(0) * 2;
    if (next_x < end && i < n && i_next < n) {
        const int value = out[i] + 1;
        const int value_next = out[i_next] + 1;
        out[i] = value;
        out[i_next] = value_next;
    } else {
        every_0_group(n, out, group_x, group_y, group_z);
        if (next_x < end) {
            every_0_group(n, out, next_x, group_y, group_z);
        }
    }
}

static inline void through_0_group(int n, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i <= n) {
        ++out[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void through_0(const int n, __global int *out_buffer, const long out_start, const long3 first, const long end) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i <= n && i_next <= n) {
        const int value = out[i] + 1;
        const int value_next = out[i_next] + 1;
        out[i] = value;
        out[i_next] = value_next;
    } else {
        through_0_group(n, out, group_x, group_y, group_z);
        if (next_x < end) {
            through_0_group(n, out, next_x, group_y, group_z);
        }
    }
}

static inline void down_0_group(int n, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = n - 1 + (int)group_x * -4;
    const int i = i_block + (int)get_local_id(0) * -1;
    if (i >= 0) {
        ++out[i];
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void down_0(const int n, __global int *out_buffer, const long out_start, const long3 first, const long end) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = n - 1 + (int)group_x * -4;
    const int i = i_block + (int)get_local_id(0) * -1;
    const int i_block_next = n - 1 + (int)next_x * -4;
    const int i_next = i_block_next + (int)get_local_id(0) * -1;
    if (next_x < end && i >= 0 && i_next >= 0) {
        const int value = out[i] + 1;
        const int value_next = out[i_next] + 1;
        out[i] = value;
        out[i_next] = value_next;
    } else {
        down_0_group(n, out, group_x, group_y, group_z);
        if (next_x < end) {
            down_0_group(n, out, next_x, group_y, group_z);
        }
    }
}
