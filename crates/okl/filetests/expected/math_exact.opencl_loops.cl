// OpenCL C, made from OKL.
// @kernel double_precision: double_precision_0
// @kernel single_precision: single_precision_0
// @kernel integers: integers_0

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

static inline int okl_abs_int(int a) {
    return a < 0 ? -a : a;
}

static inline int okl_max_int(int a, int b) {
    return a > b ? a : b;
}

static inline uint okl_max_uint(uint a, uint b) {
    return a > b ? a : b;
}

static inline int okl_min_int(int a, int b) {
    return a < b ? a : b;
}

static inline void double_precision_0_groups(__global const double *x, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = sqrt(x[0]);
            out[1] = fabs(x[1]);
            out[2] = floor(x[1]);
            out[3] = floor(x[2]);
            out[4] = ceil(x[1]);
            out[5] = round(x[1]);
            out[6] = ceil(x[2]);
            out[7] = trunc(x[1]);
            out[8] = rint(x[2]);
            out[9] = fmod(x[4], 3.0);
            out[10] = fmin(x[1], x[0]);
            out[11] = fmax(x[1], x[0]);
            out[12] = copysign(x[4], x[1]);
            out[13] = fma(x[0], x[2], 0.5);
            out[14] = isnan(x[0] / 0.0 - x[0] / 0.0);
            out[15] = isnan(x[0]);
            out[16] = isinf(x[0] / 0.0);
            out[17] = fmax(x[0], x[3]) + fmin(x[0], x[3]);
            out[18] = isfinite(1.0 / 0.0);
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } double_precision_0_launch;

__kernel void double_precision_0(__global const double *x_buffer, __global double *out_buffer, const double_precision_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    double_precision_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void single_precision_0_groups(__global const float *x, __global float *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = sqrt(x[0]);
            out[1] = fabs(x[1]);
            out[2] = floor(x[1]);
            out[3] = ceil(x[1]);
            out[4] = fmax(x[0], x[1]);
            out[5] = fmin(x[0], x[1]);
            out[6] = fma(x[2], x[2], 0.5f);
            out[7] = fmod(x[2], 1.0f);
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } single_precision_0_launch;

__kernel void single_precision_0(__global const float *x_buffer, __global float *out_buffer, const single_precision_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    single_precision_0_groups(x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void integers_0_groups(const int a, const int b, const uint u, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        if (okl_abs_int(a) > b) {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 1; ++k) {
                out[0] = okl_abs_int(a);
                out[1] = okl_min_int(a, b);
                out[2] = okl_max_int(a, b);
                out[3] = okl_max_uint(u, 3);
                out[4] = okl_abs_int(a);
                out[5] = okl_min_int(b, a);
            }
        } else {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 1; ++k) {
                out[0] = okl_abs_int(a);
                out[1] = okl_min_int(a, b);
                out[2] = okl_max_int(a, b);
                out[3] = okl_max_uint(u, 3);
                out[4] = b;
                out[5] = okl_min_int(b, a);
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } integers_0_launch;

__kernel void integers_0(const int a, const int b, const uint u, __global int *out_buffer, const integers_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    integers_0_groups(a, b, u, out_buffer + launch.out_start, begin, end);
}
