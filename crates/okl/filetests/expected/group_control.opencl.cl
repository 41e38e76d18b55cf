// OpenCL C, made from OKL.
// @kernel leave: leave_0
// @kernel until: until_0
// @kernel which: which_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void leave_0(__global const int *n_buffer, const long n_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *n = n_buffer + n_start;
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int mine = n[o];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!(mine == 0)) {
        const int i = (int)get_local_id(0);
        if (i < mine) {
            ++out[3 * o + i];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void until_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int left = n;
    while (left > 0) {
        const int i = (int)get_local_id(0);
        ++out[i];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        left -= 3;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void which_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    int base;
    if (o == 0) {
        base = 10;
    } else if (o == 1) {
        base = 20;
    } else {
        base = 30;
    }
    const int i = (int)get_local_id(0);
    out[2 * o + i] = base + i;
}
