// OpenCL C, made from OKL.
// @kernel integers: integers_0
// @kernel floats: floats_0
// @kernel widths: widths_0

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

static inline void integers_0_groups(__global long *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 10;
            out[1] = 8;
            out[2] = 255;
            out[3] = 5;
            out[4] = 4294967295l;
            out[5] = 4294967296l;
            out[6] = -1;
            out[7] = 65;
            out[8] = 10;
            out[9] = 92;
            out[10] = 0;
            out[11] = 27;
            out[12] = 18;
            out[13] = 1;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } integers_0_launch;

__kernel void integers_0(__global long *out_buffer, const integers_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    integers_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void floats_0_groups(__global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1.5;
            out[1] = 0.5;
            out[2] = 2.0;
            out[3] = 1000.0;
            out[4] = 0.001;
            out[5] = 0.10000000149011612;
            out[6] = 1.5;
            out[7] = 3.0;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } floats_0_launch;

__kernel void floats_0(__global double *out_buffer, const floats_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    floats_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void widths_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1;
            out[1] = 2;
            out[2] = 4;
            out[3] = 8;
            out[4] = 8;
            out[5] = 4;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } widths_0_launch;

__kernel void widths_0(__global int *out_buffer, const widths_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    widths_0_groups(out_buffer + launch.out_start, begin, end);
}
