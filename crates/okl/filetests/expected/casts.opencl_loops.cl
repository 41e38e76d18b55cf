// OpenCL C, made from OKL.
// @kernel casts: casts_0
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

static inline void casts_0_groups(const double x, const int big, __global long *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = (int)x;
            out[1] = 255;
            out[2] = (char)big;
            out[3] = 4294967295l;
            out[4] = -1;
            out[5] = 1;
            out[6] = 0;
            out[7] = 65;
            out[8] = 3;
            out[9] = 2;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } casts_0_launch;

__kernel void casts_0(const double x, const int big, __global long *out_buffer, const casts_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    casts_0_groups(x, big, out_buffer + launch.out_start, begin, end);
}

static inline void floats_0_groups(const double third, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = (float)third;
            out[1] = 4294967296.0;
            out[2] = -5.0 / 2.0 + 0.5;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } floats_0_launch;

__kernel void floats_0(const double third, __global double *out_buffer, const floats_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    floats_0_groups(third, out_buffer + launch.out_start, begin, end);
}
