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

static inline void move_0_group(int n, Point by, __global Point *p, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        p[i] = sum(p[i], by);
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void move_0(const int n, const Point by, __global Point *p_buffer, const long p_start, const long3 first, const long end) {
    __global Point *p = p_buffer + p_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 2;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const Point value = sum(p[i], by);
        const Point value_next = sum(p[i_next], by);
        p[i] = value;
        p[i_next] = value_next;
    } else {
        move_0_group(n, by, p, group_x, group_y, group_z);
        if (next_x < end) {
            move_0_group(n, by, p, next_x, group_y, group_z);
        }
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

static inline void nested_0_group(__global Box *b, __global double *out, const long group_x, const long group_y, const long group_z) {
    Box mine = b[0];
    const Point corner = {1.0, 2.0, 3.0};
    mine.lo = corner;
    ++mine.id;
    out[0] = mine.hi.x + mine.hi.y + mine.hi.z;
    out[1] = b[0].id;
    out[2] = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
    b[0] = mine;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void nested_0(__global Box *b_buffer, const long b_start, __global double *out_buffer, const long out_start, const long3 first, const long end) {
    __global Box *b = b_buffer + b_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    if (next_x < end) {
        Box mine = b[0];
        Box mine_next = b[0];
        const Point corner = {1.0, 2.0, 3.0};
        const Point corner_next = {1.0, 2.0, 3.0};
        const Point value = corner;
        const Point value_next = corner_next;
        mine.lo = value;
        mine_next.lo = value_next;
        const int value_1 = mine.id + 1;
        const int value_1_next = mine_next.id + 1;
        mine.id = value_1;
        mine_next.id = value_1_next;
        const double value_2 = mine.hi.x + mine.hi.y + mine.hi.z;
        const double value_2_next = mine_next.hi.x + mine_next.hi.y + mine_next.hi.z;
        out[0] = value_2;
        out[0] = value_2_next;
        const double value_3 = b[0].id;
        const double value_3_next = b[0].id;
        out[1] = value_3;
        out[1] = value_3_next;
        const double value_4 = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
        const double value_4_next = b[0].hi.x * corner_next.x + b[0].hi.y * corner_next.y + b[0].hi.z * corner_next.z;
        out[2] = value_4;
        out[2] = value_4_next;
        const Box value_5 = mine;
        const Box value_5_next = mine_next;
        b[0] = value_5;
        b[0] = value_5_next;
    } else {
        nested_0_group(b, out, group_x, group_y, group_z);
        if (next_x < end) {
            nested_0_group(b, out, next_x, group_y, group_z);
        }
    }
}
