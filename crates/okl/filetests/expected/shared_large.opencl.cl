// OpenCL C, made from OKL.
// @kernel mirror: mirror_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct Pair {
    double value;
    int index;
} Pair;
OKL_HOLDS(sizeof(Pair) == 16, "size of Pair");
OKL_HOLDS(__builtin_offsetof(Pair, value) == 0, "offset of Pair.value");
OKL_HOLDS(__builtin_offsetof(Pair, index) == 8, "offset of Pair.index");

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void mirror_0(__global const double *x_buffer, const long x_start, __global double *y_buffer, const long y_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global double *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0);
    __local double table[4][2048];
    __local Pair last;
    const int g = group_x;
    {
        const int i = (int)get_local_id(0);
        table[i][i] = x[4 * g + i];
        if (i == 3) {
            last.value = x[4 * g + i];
            last.index = i;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        y[4 * g + i] = i == last.index ? table[0][0] : i == 0 ? last.value : table[3 - i][3 - i];
    }
}
