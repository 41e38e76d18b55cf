// OpenCL C, made from OKL.
// @kernel ints: ints_0
// @kernel words: words_0
// @kernel longs: longs_0
// @kernel small: small_0
// @kernel constants: constants_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline uint okl_ctz_uint(uint a) {
    return a == 0 ? 32 : popcount((a & -a) - 1);
}

static inline ulong okl_ctz_ulong(ulong a) {
    return a == 0 ? 64 : popcount((a & -a) - 1);
}

__kernel __attribute__((reqd_work_group_size(5, 1, 1))) void ints_0(__global const int *in_buffer, const long in_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const int *in = in_buffer + in_start;
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    out[i] = popcount((uint)in[i]);
    out[5 + i] = clz((uint)in[i]);
    out[10 + i] = okl_ctz_uint(in[i]);
    const uint bits = in[i];
    out[15 + i] = bits == 0 ? 0 : (int)okl_ctz_uint(bits) + 1;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void words_0(__global const uint *in_buffer, const long in_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const uint *in = in_buffer + in_start;
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    out[i] = popcount(in[i]);
    out[4 + i] = clz(in[i]);
    out[8 + i] = okl_ctz_uint(in[i]);
}

__kernel __attribute__((reqd_work_group_size(5, 1, 1))) void longs_0(__global const long *in_buffer, const long in_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const long *in = in_buffer + in_start;
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    out[i] = popcount((ulong)in[i]);
    out[5 + i] = clz((ulong)in[i]);
    out[10 + i] = okl_ctz_ulong(in[i]);
    const ulong bits = in[i];
    out[15 + i] = bits == 0 ? 0 : (int)okl_ctz_ulong(bits) + 1;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void small_0(__global const char *in_buffer, const long in_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global const char *in = in_buffer + in_start;
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    out[i] = popcount((uint)in[i]);
    out[4 + i] = clz((uint)in[i]);
    out[8 + i] = clz((ulong)in[i]);
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void constants_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    out[i] = i == 0 ? 3 : i == 1 ? 29 : i == 2 ? 0 : 8;
}
