// OpenCL C, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred turns at most.
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

__kernel void stores_0(const uchar b, const char c, const uchar uc, const short s, const ushort us, const int i, const uint u, const long l, const ulong ul, const float f, const double d, __global uchar *ob_buffer, const long ob_start, __global char *oc_buffer, const long oc_start, __global uchar *ouc_buffer, const long ouc_start, __global short *os_buffer, const long os_start, __global ushort *ous_buffer, const long ous_start, __global int *oi_buffer, const long oi_start, __global uint *ou_buffer, const long ou_start, __global long *ol_buffer, const long ol_start, __global ulong *oul_buffer, const long oul_start, __global float *of_buffer, const long of_start, __global double *od_buffer, const long od_start, const long3 groups, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups.x * groups.y * groups.z);
    stores_0_groups(b, c, uc, s, us, i, u, l, ul, f, d, ob_buffer + ob_start, oc_buffer + oc_start, ouc_buffer + ouc_start, os_buffer + os_start, ous_buffer + ous_start, oi_buffer + oi_start, ou_buffer + ou_start, ol_buffer + ol_start, oul_buffer + oul_start, of_buffer + of_start, od_buffer + od_start, begin, end);
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

__kernel void names_0(__global int *out_buffer, const long out_start, const long3 groups, const long3 items, const long stretch) {
    const long begin = (long)get_global_id(0) * stretch;
    const long end = min(begin + stretch, groups.x * groups.y * groups.z);
    names_0_groups(out_buffer + out_start, begin, end);
}
