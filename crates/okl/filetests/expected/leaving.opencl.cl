// OpenCL C, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0
// @kernel stop_twice: stop_twice_0
// @kernel from_loop: from_loop_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void skip_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    {
        const int i = (int)get_local_id(0);
        if (!(i % 2)) {
            ++out[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        out[i] += 10;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void stop_0(const int n, __global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    __local int s[4];
    bool done;
    {
        const int i = (int)get_local_id(0);
        done = false;
        s[i] = x[4 * o + i];
        if (4 * o + i >= n) {
            done = true;
        } else {
            out[4 * o + i] += s[i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            out[4 * o + i] += s[3 - i] + 1;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void stop_twice_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    bool done;
    {
        const int i = (int)get_local_id(0);
        done = false;
        if (i == 0) {
            done = true;
        } else {
            ++out[4 * o + i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            if (i == 1) {
                done = true;
            } else {
                out[4 * o + i] += 2;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            out[4 * o + i] += 8;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void from_loop_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    bool done;
    {
        const int i = (int)get_local_id(0);
        done = false;
        for (int k = 0; k < 10; ++k) {
            if (k == i && i < 2) {
                done = true;
                goto next_1;
            }
            if (k == 2) {
                break;
            }
            ++out[i];
        }
    }
next_1:;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        if (!done) {
            out[i] += 100;
        }
    }
}
