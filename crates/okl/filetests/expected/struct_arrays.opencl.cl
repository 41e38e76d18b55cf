// OpenCL C, made from OKL.
// @kernel smooth: smooth_0
// @kernel exchange: exchange_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct Element {
    float weight;
    double node[3];
} Element;
OKL_HOLDS(sizeof(Element) == 32, "size of Element");
OKL_HOLDS(__builtin_offsetof(Element, weight) == 0, "offset of Element.weight");
OKL_HOLDS(__builtin_offsetof(Element, node) == 8, "offset of Element.node");

typedef struct Pair {
    int first;
    int second;
} Pair;
OKL_HOLDS(sizeof(Pair) == 8, "size of Pair");
OKL_HOLDS(__builtin_offsetof(Pair, first) == 0, "offset of Pair.first");
OKL_HOLDS(__builtin_offsetof(Pair, second) == 4, "offset of Pair.second");

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void smooth_0(__global const Element *e_buffer, const long e_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global const Element *e = e_buffer + e_start;
    __global double *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    Element copies[2];
    copies[0] = e[i];
    copies[1] = copies[0];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += copies[1].node[k];
    }
    out[i] = copies[0].weight * sum;
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void exchange_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    __local Pair s[4];
    Pair mine;
    {
        const int i = (int)get_local_id(0);
        mine.first = i;
        mine.second = 10 * i;
        s[3 - i] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        mine = s[i];
        out[i] = mine.first + mine.second;
    }
}
