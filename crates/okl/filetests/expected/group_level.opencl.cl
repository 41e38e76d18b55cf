// OpenCL C, made from OKL.
// @kernel offsets: offsets_0
// @kernel branches: branches_0
// @kernel rounds: rounds_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void offsets_0(__global const int *starts_buffer, const long starts_start, __global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *starts = starts_buffer + starts_start;
    __global const int *x = x_buffer + x_start;
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int begin = starts[o];
    const int end = starts[o + 1];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int sum = 0;
    for (int k = begin; k < end; ++k) {
        sum += x[k];
    }
    out[o] = sum;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void branches_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    int factor = o;
    if (o >= 2) {
        factor *= 10;
        {
            const int i = (int)get_local_id(0);
            out[2 * o + i] = factor;
        }
    } else {
        {
            const int i = (int)get_local_id(0);
            out[2 * o + i] = factor;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void rounds_0(const int rounds, __global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    for (int r = 1; r < rounds; ++r) {
        const int factor = r + 1;
        const int i = (int)get_local_id(0);
        x[2 * o + i] *= factor;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
