// OpenCL C, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel pairs: pairs_0
// @kernel late: late_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct pair {
    int first;
    int second;
} pair;
OKL_HOLDS(sizeof(pair) == 8, "size of pair");
OKL_HOLDS(__builtin_offsetof(pair, first) == 0, "offset of pair.first");
OKL_HOLDS(__builtin_offsetof(pair, second) == 4, "offset of pair.second");

static inline int read(__local const pair *p, int i) {
    return p[i].first + 10 * p[i].second;
}

__kernel void reverse_0(const int n, __global const float *x_buffer, const long x_start, __global float *y_buffer, const long y_start, const long3 first) {
    __global const float *x = x_buffer + x_start;
    __global float *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local float s[5];
    const int o = group_x;
    {
        const int i = (int)get_local_id(0);
        s[i] = x[n * o + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        y[n * o + i] = s[n - 1 - i];
    }
}

__kernel void transpose_0(const int rows, const short columns, __global const int *a_buffer, const long a_start, __global int *b_buffer, const long b_start, const long3 first) {
    __global const int *a = a_buffer + a_start;
    __global int *b = b_buffer + b_start;
    __local int s[3][5];
    {
        const int j = (int)get_local_id(0);
        const int i = (int)get_local_id(1);
        s[i][j] = a[i * columns + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int j = (int)get_local_id(0);
        const int i = (int)get_local_id(1);
        const long row_offset = (long)i * 5;
        b[j * rows + i] = (&s[0][0])[row_offset + j];
    }
}

__kernel void pairs_0(const int n, __global const int *x_buffer, const long x_start, __global int *y_buffer, const long y_start, const long3 first) {
    __global const int *x = x_buffer + x_start;
    __global int *y = y_buffer + y_start;
    __local pair s[8];
    {
        const int i = (int)get_local_id(0);
        s[n - 1 - i].second = x[i];
        s[i].first = x[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        y[i] = read(s, i);
    }
}

__kernel void late_0(const int first, __global const int *x_buffer, const long x_start, __global int *y_buffer, const long y_start, const long3 first_1) {
    __global const int *x = x_buffer + x_start;
    __global int *y = y_buffer + y_start;
    __local int s[4];
    {
        const int i = (int)get_local_id(0);
        s[i] = x[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        y[i] = s[first];
    }
}
