// OpenCL C, made from OKL.
// @kernel mixed: mixed_0
// @kernel floats: floats_0

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

static inline void mixed_0_groups(const int a, const uint u, const uchar c, const short s, const long l, const float f, const double d, __global long *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = (uint)a < u;
            out[1] = l < u;
            out[2] = a * u;
            out[3] = c + c;
            out[4] = s + s;
            out[5] = s < c;
            out[6] = a == 4294967295u;
            out[7] = f == d;
            out[8] = (a < 0) + (c > 0) + (s != 0);
            out[9] = 1;
            out[10] = 4294967295l;
            out[11] = 1;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } mixed_0_launch;

__kernel void mixed_0(const int a, const uint u, const uchar c, const short s, const long l, const float f, const double d, __global long *out_buffer, const mixed_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    mixed_0_groups(a, u, c, s, l, f, d, out_buffer + launch.out_start, begin, end);
}

static inline void floats_0_groups(const int i, __global float *out, __global double *wide, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = i;
            out[1] = i * 1.0f;
            out[2] = 1.0f / 2.0f;
            out[3] = 3.0f;
            wide[0] = i * 1.0;
            wide[1] = 1.0f / 2.0f;
            wide[2] = 0.1f + 0.2f;
            wide[3] = 0.1 + 0.2;
        }
    }
}

typedef struct { long out_start, wide_start, dims[6], stretch; } floats_0_launch;

__kernel void floats_0(const int i, __global float *out_buffer, __global double *wide_buffer, const floats_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    floats_0_groups(i, out_buffer + launch.out_start, wide_buffer + launch.wide_start, begin, end);
}
