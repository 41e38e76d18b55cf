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

typedef struct { long out_start, first[3]; } objects_0_launch;

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void objects_0(__global int *out_buffer, const objects_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
    const int i = (int)get_local_id(0);
    out[i] = 10 * i;
}

typedef struct { long out_start, first[3]; } functions_0_launch;

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void functions_0(__global int *out_buffer, const functions_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
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

typedef struct { long out_start, first[3]; } blocks_0_launch;

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void blocks_0(__global int *out_buffer, const blocks_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
    out[0] = 3;
    out[1] = 5;
    out[2] = 8;
}
