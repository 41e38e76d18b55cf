// OpenCL C, made from OKL.
// @kernel memories: memories_0
// @kernel columns: columns_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline void set_local(__local double *place, double value) {
    place[0] = value;
}

static inline void set_private(__private double *place, double value) {
    place[0] = value;
}

static inline void add_to_private(__private double *x, int at, double value) {
    set_private(&x[at], x[at] + value);
}

static inline double sum_local(int n, __local const double *x) {
    double total = 0.0;
    for (int k = 0; k < n; ++k) {
        total += x[k];
    }
    return total;
}

static inline double sum_global(int n, __global const double *x) {
    double total = 0.0;
    for (int k = 0; k < n; ++k) {
        total += x[k];
    }
    return total;
}

static inline void set_global(__global double *place, double value) {
    place[0] = value;
}

static inline void add_to_global(__global double *x, int at, double value) {
    set_global(&x[at], x[at] + value);
}

static inline double sum_private(int n, __private const double *x) {
    double total = 0.0;
    for (int k = 0; k < n; ++k) {
        total += x[k];
    }
    return total;
}

static inline int column_sum(__private const int (*a)[4], int rows, int column) {
    int total = 0;
    for (int r = 0; r < rows; ++r) {
        total = (uint)total + a[r][column];
    }
    return total;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void memories_0(__global const double *x_buffer, const long x_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local double s[4];
    double kept[2];
    const int o = group_x;
    {
        const int i = (int)get_local_id(0);
        set_local(&s[i], x[4 * o + i]);
        set_private(kept, i);
        set_private(&kept[1], 0.0);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        double mine[3] = {1.0, 2.0, 3.0};
        add_to_private(mine, 1, sum_local(4, s));
        add_to_private(kept, 1, sum_global(4, &x[4 * o]) * 4.0);
        add_to_global(&out[4 * o], i, sum_private(3, mine) + sum_private(2, kept));
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void columns_0(__global const int *a_buffer, const long a_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *a = a_buffer + a_start;
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    int copy[3][4];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            copy[r][c] = a[4 * r + c];
        }
    }
    out[i] = column_sum(copy, 3, i);
}
