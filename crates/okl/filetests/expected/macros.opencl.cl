// OpenCL C, made from OKL.
// @kernel objects: objects_0
// @kernel functions: functions_0
// @kernel blocks: blocks_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline int sum3(int a, int b, int c) {
    return a + b + c;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void objects_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    out[i] = 10 * i;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void functions_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    out[0] = 25;
    out[1] = 7;
    out[2] = 3;
    out[3] = 12;
    out[4] = sum3(1, 2, 3);
    out[5] = 42;
    out[6] = 3;
    do {
        out[7] = 9;
    } while (false);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void blocks_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    out[0] = 3;
    out[1] = 5;
    out[2] = 8;
}
