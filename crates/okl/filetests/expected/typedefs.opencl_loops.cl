// OpenCL C, made from OKL.
// @kernel names: names_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct point_s {
    double x;
    int id;
} point_s;
OKL_HOLDS(sizeof(point_s) == 16, "size of point_s");
OKL_HOLDS(__builtin_offsetof(point_s, x) == 0, "offset of point_s.x");
OKL_HOLDS(__builtin_offsetof(point_s, id) == 8, "offset of point_s.id");

static inline void names_0_groups(__global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int k = 0; k < 1; ++k) {
            point_s p;
            p.x = 2.5;
            p.id = 11;
            out[0] = 0.0;
            out[1] = 1.0;
            out[2ul] = 10.0;
            out[3] = p.id;
            out[4] = p.x;
            out[5] = 42.0;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } names_0_launch;

__kernel void names_0(__global double *out_buffer, const names_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    names_0_groups(out_buffer + launch.out_start, begin, end);
}
