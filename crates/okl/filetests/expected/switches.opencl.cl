// OpenCL C, made from OKL.
// @kernel fall: fall_0
// @kernel middle: middle_0
// @kernel in_loop: in_loop_0
// @kernel names: names_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline int name(int x) {
    switch (x) {
        case 0: {
            return 10;
        }
        case 5: {
            return 20;
        }
    }
    return -1;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fall_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        int x = 0;
        switch (i) {
            case 0: {
                x += 100;
            }
            // fall through
            case 1: {
                x += 10;
            }
            // fall through
            case 2: {
                ++x;
                break;
            }
            case 3: {
                x = 1000;
                break;
            }
            case 4:
            case 5: {
                x = 500;
                break;
            }
            default: {
                x = 7;
                break;
            }
        }
        out[i] = x;
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void middle_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        int x = 0;
        switch (i) {
            case 1: {
                x = 10;
                x += 2;
                break;
            }
            default: {
                x = 3;
                break;
            }
            case 2: {
                x = 20;
                break;
            }
        }
        out[i] = x;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void in_loop_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    int sum = 0;
    int turns = 0;
    for (int k = 0; k < 6; ++k) {
        switch (k) {
            case 1: {
                continue;
            }
            case 4: {
                sum += 5;
                break;
            }
            default: {
                switch (k % 2) {
                    case 0: {
                        sum += 2;
                        break;
                    }
                    default: {
                        break;
                    }
                }
                break;
            }
        }
        if (k == 5) {
            break;
        }
        ++turns;
    }
    out[0] = sum;
    int k = 0;
    while (true) {
        ++k;
        switch (k) {
            case 3: {
                break;
            }
            default: {
                continue;
            }
        }
        break;
    }
    out[1] = k + 100 + turns - turns;
}

static inline void names_0_group(int n, __global const int *x, __global int *out, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        out[i] = name(x[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void names_0(const int n, __global const int *x_buffer, const long x_start, __global int *out_buffer, const long out_start, const long3 first, const long end) {
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
    if (next_x < end && i < n && i_next < n) {
        const int value = name(x[i]);
        const int value_next = name(x[i_next]);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        names_0_group(n, x, out, group_x, group_y, group_z);
        if (next_x < end) {
            names_0_group(n, x, out, next_x, group_y, group_z);
        }
    }
}
