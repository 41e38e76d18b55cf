// OpenCL C, made from OKL.
// @kernel move: move_0
// @kernel padding: padding_0
// @kernel nested: nested_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_GUARDED
#endif

typedef struct Point {
    double x;
    double y;
    double z;
} Point;
OKL_HOLDS(sizeof(Point) == 24, "size of Point");
OKL_HOLDS(__builtin_offsetof(Point, x) == 0, "offset of Point.x");
OKL_HOLDS(__builtin_offsetof(Point, y) == 8, "offset of Point.y");
OKL_HOLDS(__builtin_offsetof(Point, z) == 16, "offset of Point.z");

typedef struct Padded {
    char tag;
    double value;
    short count;
} Padded;
OKL_HOLDS(sizeof(Padded) == 24, "size of Padded");
OKL_HOLDS(__builtin_offsetof(Padded, tag) == 0, "offset of Padded.tag");
OKL_HOLDS(__builtin_offsetof(Padded, value) == 8, "offset of Padded.value");
OKL_HOLDS(__builtin_offsetof(Padded, count) == 16, "offset of Padded.count");

typedef struct Box {
    Point lo;
    Point hi;
    int id;
} Box;
OKL_HOLDS(sizeof(Box) == 56, "size of Box");
OKL_HOLDS(__builtin_offsetof(Box, lo) == 0, "offset of Box.lo");
OKL_HOLDS(__builtin_offsetof(Box, hi) == 24, "offset of Box.hi");
OKL_HOLDS(__builtin_offsetof(Box, id) == 48, "offset of Box.id");

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline Point sum(Point a, Point b) {
    Point s;
    s.x = a.x + b.x;
    s.y = a.y + b.y;
    s.z = a.z + b.z;
    return s;
}

static inline void touch(__global Padded *p) {
    p[0].tag = p[0].tag + 1;
    p[0].value *= 2.0;
    p[0].count = p[0].count + 1;
}

static inline void move_0_groups(const int n, const Point by, __global Point *p, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        p[i] = sum(p[i], by);
    }
}

typedef struct { long p_start, dims[6], stretch; } move_0_launch;

__kernel void move_0(const int n, const Point by, __global Point *p_buffer, const move_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    move_0_groups(n, by, p_buffer + launch.p_start, begin, end);
}

static inline void padding_0_groups(__global Padded *p, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        {
            const int i = 0;
            out[0] = p[0].tag;
            out[1] = p[0].count;
            out[2] = 24;
            touch(&p[i]);
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 1; i < 2; ++i) {
            out[3] = p[1].count;
            touch(&p[i]);
        }
    }
}

typedef struct { long p_start, out_start, dims[6], stretch; } padding_0_launch;

__kernel void padding_0(__global Padded *p_buffer, __global int *out_buffer, const padding_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    padding_0_groups(p_buffer + launch.p_start, out_buffer + launch.out_start, begin, end);
}

static inline void nested_0_groups(__global Box *b, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int i = 0; i < 1; ++i) {
            Box mine = b[0];
            const Point corner = {1.0, 2.0, 3.0};
            mine.lo = corner;
            ++mine.id;
            out[0] = mine.hi.x + mine.hi.y + mine.hi.z;
            out[1] = b[0].id;
            out[2] = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
            b[0] = mine;
        }
    }
}

typedef struct { long b_start, out_start, dims[6], stretch; } nested_0_launch;

__kernel void nested_0(__global Box *b_buffer, __global double *out_buffer, const nested_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    nested_0_groups(b_buffer + launch.b_start, out_buffer + launch.out_start, begin, end);
}
