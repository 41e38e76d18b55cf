// OpenCL C, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct { long ob_start, oc_start, ouc_start, os_start, ous_start, oi_start, ou_start, ol_start, oul_start, of_start, od_start, first[3]; } stores_0_launch;

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void stores_0(const uchar b, const char c, const uchar uc, const short s, const ushort us, const int i, const uint u, const long l, const ulong ul, const float f, const double d, __global uchar *ob_buffer, __global char *oc_buffer, __global uchar *ouc_buffer, __global short *os_buffer, __global ushort *ous_buffer, __global int *oi_buffer, __global uint *ou_buffer, __global long *ol_buffer, __global ulong *oul_buffer, __global float *of_buffer, __global double *od_buffer, const stores_0_launch launch) {
    __global uchar *ob = ob_buffer + launch.ob_start;
    __global char *oc = oc_buffer + launch.oc_start;
    __global uchar *ouc = ouc_buffer + launch.ouc_start;
    __global short *os = os_buffer + launch.os_start;
    __global ushort *ous = ous_buffer + launch.ous_start;
    __global int *oi = oi_buffer + launch.oi_start;
    __global uint *ou = ou_buffer + launch.ou_start;
    __global long *ol = ol_buffer + launch.ol_start;
    __global ulong *oul = oul_buffer + launch.oul_start;
    __global float *of = of_buffer + launch.of_start;
    __global double *od = od_buffer + launch.od_start;
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

typedef struct { long out_start, first[3]; } names_0_launch;

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void names_0(__global int *out_buffer, const names_0_launch launch) {
    __global int *out = out_buffer + launch.out_start;
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
