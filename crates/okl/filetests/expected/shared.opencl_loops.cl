// OpenCL C, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel scalar: scalar_0

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

static inline void reverse_0_groups(__global double *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        double s[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = x[4 * o + i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            x[4 * o + i] = s[3 - i];
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } reverse_0_launch;

__kernel void reverse_0(__global double *x_buffer, const reverse_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    reverse_0_groups(x_buffer + launch.x_start, begin, end);
}

static inline void transpose_0_groups(__global const int *in, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4][5];
        for (int j = 0; j < 4; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                s[j][i] = in[4 * j + i];
            }
        }
        for (int j = 0; j < 4; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                out[4 * j + i] = s[i][j];
            }
        }
    }
}

typedef struct { long in_start, out_start, dims[6], stretch; } transpose_0_launch;

__kernel void transpose_0(__global const int *in_buffer, __global int *out_buffer, const transpose_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    transpose_0_groups(in_buffer + launch.in_start, out_buffer + launch.out_start, begin, end);
}

static inline void scalar_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int total;
        total = 7 * o;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 2; ++i) {
            out[2 * o + i] = total;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } scalar_0_launch;

__kernel void scalar_0(__global int *out_buffer, const scalar_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    scalar_0_groups(out_buffer + launch.out_start, begin, end);
}
