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

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void move_0(const int n, const Point by, __global Point *p_buffer, const long p_start, const long3 first) {
    __global Point *p = p_buffer + p_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        p[i] = sum(p[i], by);
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void padding_0(__global Padded *p_buffer, const long p_start, __global int *out_buffer, const long out_start, const long3 first) {
    __global Padded *p = p_buffer + p_start;
    __global int *out = out_buffer + out_start;
    const int i = (int)get_local_id(0);
    if (i == 0) {
        out[0] = p[0].tag;
        out[1] = p[0].count;
        out[2] = 24;
    } else {
        out[3] = p[1].count;
    }
    touch(&p[i]);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void nested_0(__global Box *b_buffer, const long b_start, __global double *out_buffer, const long out_start, const long3 first) {
    __global Box *b = b_buffer + b_start;
    __global double *out = out_buffer + out_start;
    Box mine = b[0];
    const Point corner = {1.0, 2.0, 3.0};
    mine.lo = corner;
    ++mine.id;
    out[0] = mine.hi.x + mine.hi.y + mine.hi.z;
    out[1] = b[0].id;
    out[2] = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
    b[0] = mine;
}
