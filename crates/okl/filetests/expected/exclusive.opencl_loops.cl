// OpenCL C, made from OKL.
// @kernel scalars: scalars_0
// @kernel arrays: arrays_0
// @kernel tables: tables_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline void scalars_0_groups(__global const double *x, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        double a[4];
        double b[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            b[i] = 1.0;
            a[i] = 2.0 * x[4 * o + i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[4 * o + i] = a[i] + b[i];
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } scalars_0_launch;

__kernel void scalars_0(__global const double *x_buffer, __global double *out_buffer, const scalars_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    scalars_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void arrays_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int a[3][4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 3; ++k) {
                a[k][i] = 10 * i + k;
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = (uint)a[0][i] + a[1][i] + a[2][i];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } arrays_0_launch;

__kernel void arrays_0(__global int *out_buffer, const arrays_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    arrays_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void tables_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int t[3][2][3];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 3; ++i) {
            (&t[0][0][0])[(long)i * 6] = 0;
            (&t[0][0][0])[(long)i * 6 + 1] = 1;
            (&t[0][0][0])[(long)i * 6 + 2] = 2;
            (&t[0][0][0])[(long)i * 6 + 3] = 10;
            (&t[0][0][0])[(long)i * 6 + 4] = 20;
            (&t[0][0][0])[(long)i * 6 + 5] = 30;
            int shift = 10 * o;
            t[i][0][i] = t[i][0][i] + (uint)shift * 3;
        }
        {
            const int i = 0;
            out[3 * o + i] = (uint)t[i][0][i] + 0;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 1; i < 3; ++i) {
            out[3 * o + i] = (uint)t[i][0][i] + t[i][1][i - 1];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } tables_0_launch;

__kernel void tables_0(__global int *out_buffer, const tables_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    tables_0_groups(out_buffer + launch.out_start, begin, end);
}
