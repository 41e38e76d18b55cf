// OpenCL C, made from OKL.
// @kernel names: names_0
// @kernel hiding: hiding_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline int double_(int register_) {
    return 2 * register_;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void names_0(__global const int *in_buffer, const long in_start, __global int *out_buffer, const long out_start, const int global_1, const int restrict_, const long3 first) {
    __global const int *in = in_buffer + in_start;
    __global int *out = out_buffer + out_start;
    const int threadIdx = (int)get_local_id(0);
    out[threadIdx] = (uint)in[threadIdx] + global_1 + restrict_ - 1 + 1 + 2 + 3 + 4 + 5 + double_(3) + 4 - 3;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void hiding_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    const int i = (int)get_local_id(0);
    const int a = 1;
    const int a_1 = 10;
    const int a_2 = 100;
    x[i] = (uint)x[i] + a_2;
    x[i] = (uint)x[i] + a_1;
    x[i] = (uint)x[i] + a;
    for (int a_3 = 0; a_3 < 3 * i; ++a_3) {
        x[i] = (uint)x[i] + 1;
    }
}
