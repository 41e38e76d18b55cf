// OpenCL C, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void skip_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    bool done;
    {
        const int i = (int)get_local_id(0);
        done = false;
        if (i == 1) {
            done = true;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            ++x[i];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void stop_0(__global int *x_buffer, const long x_start, const long3 first) {
    __global int *x = x_buffer + x_start;
    bool done;
    {
        const int i = (int)get_local_id(0);
        done = false;
        if (i == 1) {
            done = true;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            ++x[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            x[i] += 10;
        }
    }
}
