// OpenCL C, made from OKL.
// @kernel down: down_0
// @kernel steps: steps_0
// @kernel inclusive: inclusive_0
// @kernel backward_steps: backward_steps_0
// @kernel wide: wide_0
// @kernel swapped: swapped_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void down_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = n + (int)group_x * -1;
    const int i = 0 * -1;
    out[n - o] = 10 * o + i;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void steps_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = 1 + (int)group_x * 3;
    const int i = 9 + 0 * 2;
    if (o + i <= 16) {
        out[o] = o + i;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void inclusive_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int i = (int)get_local_id(0);
    out[2 * o + i] = 10 * o + i;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void backward_steps_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = n + (int)group_x * -3;
    out[o] = o;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void wide_0(__global uint *out_buffer, const long out_start, const long3 first) {
    __global uint *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const long o = group_x;
    const uint i = (int)get_local_id(0);
    out[2 * o + i] = (uint)(2 * o) + i + 1;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void swapped_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const int i = 5 + 0;
    out[o] = o + i;
}
