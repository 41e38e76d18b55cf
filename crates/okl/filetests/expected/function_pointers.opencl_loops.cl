// OpenCL C, made from OKL.
// @kernel memories: memories_0
// @kernel columns: columns_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_GUARDED
#endif

static inline void set_private(__private double *place, double value) {
    place[0] = value;
}

static inline void add_to_private(__private double *x, int at, double value) {
    set_private(&x[at], x[at] + value);
}

static inline double sum_private(int n, __private const double *x) {
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

static inline int column_sum(__private const int (*a)[4], int rows, int column) {
    int total = 0;
    for (int r = 0; r < rows; ++r) {
        total += a[r][column];
    }
    return total;
}

static inline void memories_0_groups(__global const double *x, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        double s[4];
        double kept[4][2];
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            set_private(&s[i], x[4 * o + i]);
            set_private(&kept[i][0], i);
            set_private(&kept[i][1], 0.0);
        }
        for (int i = 0; i < 4; ++i) {
            double mine[3] = {1.0, 2.0, 3.0};
            add_to_private(mine, 1, sum_private(4, s));
            add_to_private(&kept[i][0], 1, sum_global(4, &x[4 * o]) * 4.0);
            add_to_global(&out[4 * o], i, sum_private(3, mine) + sum_private(2, &kept[i][0]));
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } memories_0_launch;

__kernel void memories_0(__global const double *x_buffer, __global double *out_buffer, const memories_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    memories_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void columns_0_groups(__global const int *a, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int i = 0; i < 4; ++i) {
            int copy[3][4];
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 4; ++c) {
                    copy[r][c] = a[4 * r + c];
                }
            }
            out[i] = column_sum(copy, 3, i);
        }
    }
}

typedef struct { long a_start, out_start, dims[6], stretch; } columns_0_launch;

__kernel void columns_0(__global const int *a_buffer, __global int *out_buffer, const columns_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    columns_0_groups(a_buffer + launch.a_start, out_buffer + launch.out_start, begin, end);
}
