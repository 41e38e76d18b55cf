// OpenCL C, made from OKL.
// @kernel ghosts: ghosts_0
// @kernel in_place: in_place_0
// @kernel two_pointers: two_pointers_0
// @kernel changed: changed_0
// @kernel after_another: after_another_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline void ghosts_0_group(int n, __global const double *restrict u_prev, __global double *restrict u, const long group_x, const long group_y, const long group_z) {
    const int i_block = 1 + (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n + 1) {
        const double here = u_prev[i];
        u[i] = here + 1.0;
        if (i == 1) {
            u[n + 1] = here;
        }
        if (i == n) {
            u[0] = here;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void ghosts_0(const int n, __global const double *restrict u_prev_buffer, const long u_prev_start, __global double *restrict u_buffer, const long u_start, const long3 first, const long end) {
    __global const double *restrict u_prev = u_prev_buffer + u_prev_start;
    __global double *restrict u = u_buffer + u_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = 1 + (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = 1 + (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n + 1 && i_next < n + 1) {
        const double here = u_prev[i];
        const double value = here + 1.0;
        const double here_next = u_prev[i_next];
        const double value_next = here_next + 1.0;
        u[i] = value;
        u[i_next] = value_next;
        if (i == 1) {
            u[n + 1] = here;
        }
        if (i_next == 1) {
            u[n + 1] = here_next;
        }
        if (i == n) {
            u[0] = here;
        }
        if (i_next == n) {
            u[0] = here_next;
        }
    } else {
        ghosts_0_group(n, u_prev, u, group_x, group_y, group_z);
        if (next_x < end) {
            ghosts_0_group(n, u_prev, u, next_x, group_y, group_z);
        }
    }
}

static inline void in_place_0_group(int n, __global double *restrict u, __global double *restrict first, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        const double here = u[i];
        u[i] = 2.0 * here;
        if (i == 0) {
            first[0] = here;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void in_place_0(const int n, __global double *restrict u_buffer, const long u_start, __global double *restrict first_buffer, const long first_start, const long3 first_1, const long end) {
    __global double *restrict u = u_buffer + u_start;
    __global double *restrict first = first_buffer + first_start;
    const long group_x = first_1.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first_1.y + (long)get_group_id(1);
    const long group_z = first_1.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double here = u[i];
        const double value = 2.0 * here;
        const double here_next = u[i_next];
        const double value_next = 2.0 * here_next;
        u[i] = value;
        u[i_next] = value_next;
        if (i == 0) {
            first[0] = here;
        }
        if (i_next == 0) {
            first[0] = here_next;
        }
    } else {
        in_place_0_group(n, u, first, group_x, group_y, group_z);
        if (next_x < end) {
            in_place_0_group(n, u, first, next_x, group_y, group_z);
        }
    }
}

static inline void two_pointers_0_group(int n, __global const double *from, __global double *to, __global double *first, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        const double here = from[i];
        to[i] = 2.0 * here;
        if (i == 0) {
            first[0] = here;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void two_pointers_0(const int n, __global const double *from_buffer, const long from_start, __global double *to_buffer, const long to_start, __global double *first_buffer, const long first_start, const long3 first_1, const long end) {
    __global const double *from = from_buffer + from_start;
    __global double *to = to_buffer + to_start;
    __global double *first = first_buffer + first_start;
    const long group_x = first_1.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first_1.y + (long)get_group_id(1);
    const long group_z = first_1.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double here = from[i];
        const double value = 2.0 * here;
        const double here_next = from[i_next];
        const double value_next = 2.0 * here_next;
        to[i] = value;
        to[i_next] = value_next;
        if (i == 0) {
            first[0] = here;
        }
        if (i_next == 0) {
            first[0] = here_next;
        }
    } else {
        two_pointers_0_group(n, from, to, first, group_x, group_y, group_z);
        if (next_x < end) {
            two_pointers_0_group(n, from, to, first, next_x, group_y, group_z);
        }
    }
}

static inline void changed_0_group(int n, __global const double *restrict from, __global double *restrict to, __global double *restrict first, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        double x = from[i];
        x += 1.0;
        const double here = x;
        to[i] = here;
        if (i == 0) {
            first[0] = here;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void changed_0(const int n, __global const double *restrict from_buffer, const long from_start, __global double *restrict to_buffer, const long to_start, __global double *restrict first_buffer, const long first_start, const long3 first_1, const long end) {
    __global const double *restrict from = from_buffer + from_start;
    __global double *restrict to = to_buffer + to_start;
    __global double *restrict first = first_buffer + first_start;
    const long group_x = first_1.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first_1.y + (long)get_group_id(1);
    const long group_z = first_1.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        double x = from[i];
        const double value = x + 1.0;
        double x_next = from[i_next];
        const double value_next = x_next + 1.0;
        x = value;
        x_next = value_next;
        const double here = x;
        const double value_1 = here;
        const double here_next = x_next;
        const double value_1_next = here_next;
        to[i] = value_1;
        to[i_next] = value_1_next;
        if (i == 0) {
            first[0] = here;
        }
        if (i_next == 0) {
            first[0] = here_next;
        }
    } else {
        changed_0_group(n, from, to, first, group_x, group_y, group_z);
        if (next_x < end) {
            changed_0_group(n, from, to, first, next_x, group_y, group_z);
        }
    }
}

static inline void after_another_0_group(int n, __global const double *restrict from, __global double *restrict to, __global double *restrict ends, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        const double here = from[i];
        to[i] = here;
        if (i == 0 || i == n - 1) {
            ends[i == 0 ? 0 : 1] = here;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void after_another_0(const int n, __global const double *restrict from_buffer, const long from_start, __global double *restrict to_buffer, const long to_start, __global double *restrict ends_buffer, const long ends_start, const long3 first, const long end) {
    __global const double *restrict from = from_buffer + from_start;
    __global double *restrict to = to_buffer + to_start;
    __global double *restrict ends = ends_buffer + ends_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double here = from[i];
        const double value = here;
        const double here_next = from[i_next];
        const double value_next = here_next;
        to[i] = value;
        to[i_next] = value_next;
        if (i == 0 || i == n - 1) {
            ends[i == 0 ? 0 : 1] = here;
        }
        if (i_next == 0 || i_next == n - 1) {
            ends[i_next == 0 ? 0 : 1] = here_next;
        }
    } else {
        after_another_0_group(n, from, to, ends, group_x, group_y, group_z);
        if (next_x < end) {
            after_another_0_group(n, from, to, ends, next_x, group_y, group_z);
        }
    }
}
