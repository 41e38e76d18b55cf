// OpenCL C, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

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

static inline void stores_0_groups(const bool b, const char c, const uchar uc, const short s, const ushort us, const int i, const uint u, const long l, const ulong ul, const float f, const double d, __global uchar *ob, __global char *oc, __global uchar *ouc, __global short *os, __global ushort *ous, __global int *oi, __global uint *ou, __global long *ol, __global ulong *oul, __global float *of, __global double *od, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            ob[0] = b;
            oc[0] = c - 1;
            ouc[0] = uc + 9;
            os[0] = s - 1;
            ous[0] = us + 1072;
            oi[0] = i - 1;
            ou[0] = u + 7;
            ol[0] = l - 1;
            oul[0] = ul + 7;
            of[0] = f + 0.75f;
            od[0] = d + 0.25;
        }
    }
}

typedef struct { long ob_start, oc_start, ouc_start, os_start, ous_start, oi_start, ou_start, ol_start, oul_start, of_start, od_start, dims[6], stretch; } stores_0_launch;

__kernel void stores_0(const uchar b, const char c, const uchar uc, const short s, const ushort us, const int i, const uint u, const long l, const ulong ul, const float f, const double d, __global uchar *ob_buffer, __global char *oc_buffer, __global uchar *ouc_buffer, __global short *os_buffer, __global ushort *ous_buffer, __global int *oi_buffer, __global uint *ou_buffer, __global long *ol_buffer, __global ulong *oul_buffer, __global float *of_buffer, __global double *od_buffer, const stores_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    stores_0_groups(b, c, uc, s, us, i, u, l, ul, f, d, ob_buffer + launch.ob_start, oc_buffer + launch.oc_start, ouc_buffer + launch.ouc_start, os_buffer + launch.os_start, ous_buffer + launch.ous_start, oi_buffer + launch.oi_start, ou_buffer + launch.ou_start, ol_buffer + launch.ol_start, oul_buffer + launch.oul_start, of_buffer + launch.of_start, od_buffer + launch.od_start, begin, end);
}

static inline void names_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1;
            out[1] = 1;
            out[2] = 1;
            out[3] = 2;
            out[4] = 2;
            out[5] = 4;
            out[6] = 4;
            out[7] = 4;
            out[8] = 8;
            out[9] = 8;
            out[10] = 4;
            out[11] = 8;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } names_0_launch;

__kernel void names_0(__global int *out_buffer, const names_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    names_0_groups(out_buffer + launch.out_start, begin, end);
}
