// OpenCL C, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void stores_0(const uchar b, const char c, const uchar uc, const short s, const ushort us, const int i, const uint u, const long l, const ulong ul, const float f, const double d, __global uchar *ob_buffer, const long ob_start, __global char *oc_buffer, const long oc_start, __global uchar *ouc_buffer, const long ouc_start, __global short *os_buffer, const long os_start, __global ushort *ous_buffer, const long ous_start, __global int *oi_buffer, const long oi_start, __global uint *ou_buffer, const long ou_start, __global long *ol_buffer, const long ol_start, __global ulong *oul_buffer, const long oul_start, __global float *of_buffer, const long of_start, __global double *od_buffer, const long od_start, const long3 first) {
    __global uchar *ob = ob_buffer + ob_start;
    __global char *oc = oc_buffer + oc_start;
    __global uchar *ouc = ouc_buffer + ouc_start;
    __global short *os = os_buffer + os_start;
    __global ushort *ous = ous_buffer + ous_start;
    __global int *oi = oi_buffer + oi_start;
    __global uint *ou = ou_buffer + ou_start;
    __global long *ol = ol_buffer + ol_start;
    __global ulong *oul = oul_buffer + oul_start;
    __global float *of = of_buffer + of_start;
    __global double *od = od_buffer + od_start;
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void names_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
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
