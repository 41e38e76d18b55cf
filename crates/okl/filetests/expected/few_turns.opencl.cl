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

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void ghosts_0(const int n, __global const double *restrict u_prev_buffer, const long u_prev_start, __global double *restrict u_buffer, const long u_start, const long3 first) {
    __global const double *restrict u_prev = u_prev_buffer + u_prev_start;
    __global double *restrict u = u_buffer + u_start;
    const long group_x = first.x + (long)get_group_id(0);
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

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void in_place_0(const int n, __global double *restrict u_buffer, const long u_start, __global double *restrict first_buffer, const long first_start, const long3 first_1) {
    __global double *restrict u = u_buffer + u_start;
    __global double *restrict first = first_buffer + first_start;
    const long group_x = first_1.x + (long)get_group_id(0);
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

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void two_pointers_0(const int n, __global const double *from_buffer, const long from_start, __global double *to_buffer, const long to_start, __global double *first_buffer, const long first_start, const long3 first_1) {
    __global const double *from = from_buffer + from_start;
    __global double *to = to_buffer + to_start;
    __global double *first = first_buffer + first_start;
    const long group_x = first_1.x + (long)get_group_id(0);
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

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void changed_0(const int n, __global const double *restrict from_buffer, const long from_start, __global double *restrict to_buffer, const long to_start, __global double *restrict first_buffer, const long first_start, const long3 first_1) {
    __global const double *restrict from = from_buffer + from_start;
    __global double *restrict to = to_buffer + to_start;
    __global double *restrict first = first_buffer + first_start;
    const long group_x = first_1.x + (long)get_group_id(0);
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

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void after_another_0(const int n, __global const double *restrict from_buffer, const long from_start, __global double *restrict to_buffer, const long to_start, __global double *restrict ends_buffer, const long ends_start, const long3 first) {
    __global const double *restrict from = from_buffer + from_start;
    __global double *restrict to = to_buffer + to_start;
    __global double *restrict ends = ends_buffer + ends_start;
    const long group_x = first.x + (long)get_group_id(0);
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
