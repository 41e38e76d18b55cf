// OpenCL C, made from OKL.
// @kernel count: count_0
// @kernel where: where_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline void count_0_group(int b, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int o0 = group_x;
    const int o1 = group_y;
    const int o2 = group_z;
    const int i0 = (int)get_local_id(0);
    const int i1 = (int)get_local_id(1);
    const int i2 = (int)get_local_id(2);
    const int group = (o2 * b + o1) * 2 + o0;
    ++out[group * 12 + (i2 * 2 + i1) * 2 + i0];
}

__kernel __attribute__((reqd_work_group_size(2, 2, 3))) void count_0(const int b, __global int *out_buffer, const long out_start, const long3 first, const long end) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int o0 = group_x;
    const int o1 = group_y;
    const int o2 = group_z;
    const int i0 = (int)get_local_id(0);
    const int i1 = (int)get_local_id(1);
    const int i2 = (int)get_local_id(2);
    const int group = (o2 * b + o1) * 2 + o0;
    const int o0_next = next_x;
    const int o1_next = group_y;
    const int o2_next = group_z;
    const int i0_next = (int)get_local_id(0);
    const int i1_next = (int)get_local_id(1);
    const int i2_next = (int)get_local_id(2);
    const int group_next = (o2_next * b + o1_next) * 2 + o0_next;
    if (next_x < end) {
        const int value = out[group * 12 + (i2 * 2 + i1) * 2 + i0] + 1;
        const int value_next = out[group_next * 12 + (i2_next * 2 + i1_next) * 2 + i0_next] + 1;
        out[group * 12 + (i2 * 2 + i1) * 2 + i0] = value;
        out[group_next * 12 + (i2_next * 2 + i1_next) * 2 + i0_next] = value_next;
    } else {
        count_0_group(b, out, group_x, group_y, group_z);
        if (next_x < end) {
            count_0_group(b, out, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 2, 1))) void where_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const long group_y = first.y + (long)get_group_id(1);
    const int x = group_x;
    const int y = group_y;
    const int i = (int)get_local_id(0);
    const int j = (int)get_local_id(1);
    out[((x * 2 + y) * 2 + i) * 2 + j] = 1000 * x + 100 * y + 10 * i + j;
}
