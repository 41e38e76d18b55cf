// OpenCL C, made from OKL.
// @kernel floats: floats_0
// @kernel doubles: doubles_0
// @kernel constants: constants_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void floats_0(__global const float *x_buffer, const long x_start, __global uint *u_buffer, const long u_start, __global int *i_buffer, const long i_start, __global float *back_buffer, const long back_start, const long3 first) {
    __global const float *x = x_buffer + x_start;
    __global uint *u = u_buffer + u_start;
    __global int *i = i_buffer + i_start;
    __global float *back = back_buffer + back_start;
    const int t = (int)get_local_id(0);
    u[t] = as_uint(x[t]);
    i[t] = (int)as_uint(x[t]) + 1;
    back[t] = t == 3 ? as_float((uint)((int)as_uint(x[t]) ^ INT_MIN)) : as_float(as_uint(x[t]) + t) + as_float(as_uint(x[t]));
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void doubles_0(__global const double *x_buffer, const long x_start, __global ulong *u_buffer, const long u_start, __global double *back_buffer, const long back_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global ulong *u = u_buffer + u_start;
    __global double *back = back_buffer + back_start;
    const int t = (int)get_local_id(0);
    u[t] = as_ulong(x[t]);
    back[t] = t == 0 ? as_double((ulong)((long)as_ulong(x[t]) ^ LONG_MIN)) : as_double(u[t] ^ 9223372036854775808ul);
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void constants_0(__global float *out_buffer, const long out_start, const long3 first) {
    __global float *out = out_buffer + out_start;
    const int t = (int)get_local_id(0);
    out[t] = t == 0 ? 1.5f : t == 1 ? -INFINITY : t == 2 ? NAN : 3.5f;
}
