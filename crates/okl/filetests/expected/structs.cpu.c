// C11, made from OKL.
// @kernel move: move_0
// @kernel padding: padding_0
// @kernel nested: nested_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// OKL_GROUPS: a loop over groups, of which clang makes no vectors.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_GROUPS _Pragma("clang loop vectorize(disable)")
#elif defined(__GNUC__)
#define OKL_GROUPS
#else
#define OKL_GROUPS
#endif

typedef struct Point {
    double x;
    double y;
    double z;
} Point;
_Static_assert(sizeof(Point) == 24, "size of Point");
_Static_assert(offsetof(Point, x) == 0, "offset of Point.x");
_Static_assert(offsetof(Point, y) == 8, "offset of Point.y");
_Static_assert(offsetof(Point, z) == 16, "offset of Point.z");

typedef struct Padded {
    int8_t tag;
    double value;
    int16_t count;
} Padded;
_Static_assert(sizeof(Padded) == 24, "size of Padded");
_Static_assert(offsetof(Padded, tag) == 0, "offset of Padded.tag");
_Static_assert(offsetof(Padded, value) == 8, "offset of Padded.value");
_Static_assert(offsetof(Padded, count) == 16, "offset of Padded.count");

typedef struct Box {
    Point lo;
    Point hi;
    int id;
} Box;
_Static_assert(sizeof(Box) == 56, "size of Box");
_Static_assert(offsetof(Box, lo) == 0, "offset of Box.lo");
_Static_assert(offsetof(Box, hi) == 24, "offset of Box.hi");
_Static_assert(offsetof(Box, id) == 48, "offset of Box.id");

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline Point sum(Point a, Point b) {
    Point s;
    s.x = a.x + b.x;
    s.y = a.y + b.y;
    s.z = a.z + b.z;
    return s;
}

static inline void touch(Padded *p) {
    p[0].tag = p[0].tag + 1;
    p[0].value *= 2.0;
    p[0].count = p[0].count + 1;
}

static inline void move_0_groups(const int n, const Point by, Point *p, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int64_t i = begin * 2; i < i_end; ++i) {
        p[i] = sum(p[i], by);
    }
}

void move_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    move_0_groups(*(const int *)arguments[0], *(const Point *)arguments[1], arguments[2], begin, end);
}

static inline void padding_0_groups(Padded *p, int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int o = begin; o < end; ++o) {
        {
            const int64_t i = 0;
            out[0] = p[0].tag;
            out[1] = p[0].count;
            out[2] = 24;
            touch(&p[i]);
        }
        for (int64_t i = 1; i < 2; ++i) {
            out[3] = p[1].count;
            touch(&p[i]);
        }
    }
}

void padding_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    padding_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void nested_0_groups(Box *b, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int64_t i = 0; i < 1; ++i) {
            Box mine = b[0];
            const Point corner = {1.0, 2.0, 3.0};
            mine.lo = corner;
            mine.id = (uint32_t)mine.id + 1;
            out[0] = mine.hi.x + mine.hi.y + mine.hi.z;
            out[1] = b[0].id;
            out[2] = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
            b[0] = mine;
        }
    }
}

void nested_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    nested_0_groups(arguments[0], arguments[1], begin, end);
}
