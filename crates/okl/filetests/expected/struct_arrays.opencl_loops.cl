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

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
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

static inline void smooth_0_groups(__global const Element *e, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int i = 0; i < 2; ++i) {
            Element copies[2];
            copies[0] = e[i];
            copies[1] = copies[0];
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += copies[1].node[k];
            }
            out[i] = copies[0].weight * sum;
        }
    }
}

typedef struct { long e_start, out_start, dims[6], stretch; } smooth_0_launch;

__kernel void smooth_0(__global const Element *e_buffer, __global double *out_buffer, const smooth_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    smooth_0_groups(e_buffer + launch.e_start, out_buffer + launch.out_start, begin, end);
}

static inline void exchange_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        Pair s[4];
        Pair mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i].first = i;
            mine[i].second = 10 * i;
            s[3 - i] = mine[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = s[i];
            out[i] = mine[i].first + mine[i].second;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } exchange_0_launch;

__kernel void exchange_0(__global int *out_buffer, const exchange_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    exchange_0_groups(out_buffer + launch.out_start, begin, end);
}
