// C11, made from OKL.
// @kernel deduced: deduced_0
// @kernel defaults: defaults_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

typedef struct Point {
    float x;
    float y;
} Point;
_Static_assert(sizeof(Point) == 8, "size of Point");
_Static_assert(offsetof(Point, x) == 0, "offset of Point.x");
_Static_assert(offsetof(Point, y) == 4, "offset of Point.y");

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline float sum(Point p) {
    return p.x + p.y;
}

static inline int add(int a, int b, int c) {
    return a + b + c;
}

static inline float value_at(const float *p, int i) {
    return p[i];
}

static inline void deduced_0_groups(const int n, const float *x, float *y, int *k, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        const float own = value_at(x, i) * 2.0f;
        const float twice = own * 2.0f;
        const Point p = {twice, 0.0f};
        Point q = p;
        q.y = i % 2 ? 10.0f + 3.5f : 15.5f;
        y[i] = sum(q);
        const int count = 3 + i;
        k[i] = count;
    }
}

void deduced_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    deduced_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void defaults_0_groups(const int n, int *a, int64_t begin, int64_t end) {
    if (begin * 4 <= 0 && 0 < n) {
        const int i = 0;
        a[i] = add(10, 1, 0);
    }
    if (begin * 4 <= 1 && 1 < n) {
        const int i = 1;
        a[i] = add(100, 12, 0);
    }
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = okl_max_i64(2, begin * 4); i < i_end; ++i) {
        a[i] = add(100, 20, 5);
    }
}

void defaults_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    defaults_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
