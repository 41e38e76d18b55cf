// OpenCL C, made from OKL.
// @kernel guards: guards_0
// @kernel effects: effects_0
// @kernel choose: choose_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline int bump(__private int *x, int by) {
    x[0] += by;
    return x[0];
}

static inline void guards_0_group(int n, __global const int *x, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int next = i + 1 < n ? x[i + 1] : 0;
    if ((next != 0 && 100 / next > 0) || i > 100) {
        out[i] = i == 2 ? 100 / next : next;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void guards_0(const int n, __global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first, const long end) {
    __global const int *x = x_buffer + x_start;
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end) {
        const int next = i + 1 < n ? x[i + 1] : 0;
        const int next_next = i_next + 1 < n ? x[i_next + 1] : 0;
        if ((next != 0 && 100 / next > 0) || i > 100) {
            out[i] = i == 2 ? 100 / next : next;
        }
        if ((next_next != 0 && 100 / next_next > 0) || i_next > 100) {
            out[i_next] = i_next == 2 ? 100 / next_next : next_next;
        }
    } else {
        guards_0_group(n, x, out, group_x, group_y, group_z);
        if (next_x < end) {
            guards_0_group(n, x, out, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void effects_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int b = 0;
    bool holds = false;
    if (holds) {
        int result;
        result = bump(&b, 1);
        holds = result != 0;
    }
    if (holds) {
        b = 100;
    }
    out[0] = b;
    bool holds_1 = true;
    if (!holds_1) {
        int result_1;
        result_1 = bump(&b, 50);
        holds_1 = result_1 != 0;
    }
    if (holds_1) {
        ++b;
    }
    out[1] = b;
    int chosen;
    int result_2;
    result_2 = bump(&b, 1);
    chosen = result_2;
    out[2] = chosen;
    const int before = b;
    ++b;
    out[3] = before > 1 && b == 3;
    out[4] = b;
    int c;
    c = b * 2;
    out[5] = c > 5 ? c + c : 0;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void choose_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        out[i] = i == 0 ? 10 : i == 1 ? 20 : 30;
    }
}
