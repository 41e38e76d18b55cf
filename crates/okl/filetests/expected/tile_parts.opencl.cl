// OpenCL C, made from OKL.
// @kernel blocks: blocks_0
// @kernel ordinary: ordinary_0
// @kernel three: three_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void blocks_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    for (int i = i_block; i < (long)i_block + 4 && i < n; ++i) {
        const int k = (int)get_local_id(0);
        ++out[2 * i + k];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void ordinary_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += i;
    }
    out[o] = sum;
}

__kernel __attribute__((reqd_work_group_size(4, 2, 2))) void three_0(const int a, const int b, const int c, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const int z_block = (int)group_x * 4;
    const int y_block = (int)group_y * 2;
    const int x_block = (int)group_z * 2;
    const int z = z_block + (int)get_local_id(0);
    const int y = y_block + (int)get_local_id(1);
    const int x = x_block + (int)get_local_id(2);
    if (x < a) {
        if (y < b) {
            if (z < c) {
                ++out[(x * b + y) * c + z];
            }
        }
    }
}
