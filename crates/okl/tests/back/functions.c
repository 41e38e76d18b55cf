// C11, made from OKL.
// @kernel uses: uses_0
// @kernel vectors: vectors_0

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

typedef struct point {
    double x;
    double y;
    int tag;
} point;
_Static_assert(sizeof(point) == 24, "size of point");
_Static_assert(offsetof(point, x) == 0, "offset of point.x");
_Static_assert(offsetof(point, y) == 8, "offset of point.y");
_Static_assert(offsetof(point, tag) == 16, "offset of point.tag");

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static const double weights[3] = {0.25, 0.5, 0.25};

static inline double square(double x) {
    return x * x;
}

static inline void swap(double *a, double *b) {
    const double t = a[0];
    a[0] = b[0];
    b[0] = t;
}

static inline double smooth(const double *v, int i) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += weights[k] * v[i + k];
    }
    return sum;
}

static inline point turned(point p) {
    point q = p;
    q.x = -p.y;
    q.y = p.x;
    ++q.tag;
    return q;
}

static inline void uses_0_groups(const double *u, double *v, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        _Alignas(64) double s[34];
        _Alignas(64) double mine[32][2];
        OKL_INDEPENDENT
        for (int t = 0; t < 32; ++t) {
            s[t] = u[g * 32 + t];
            mine[t][0] = square(s[t]);
            mine[t][1] = t;
        }
        s[32] = 0.0;
        s[33] = 1.0;
        for (int t = 0; t < 32; ++t) {
            swap(&mine[t][0], &mine[t][1]);
            double pair[2] = {1.0, 2.0};
            if (t & 1) {
                swap(pair, &pair[1]);
            }
            v[g * 32 + t] = smooth(s, t) + mine[t][0] * pair[1] + smooth(&u[g * 16], 1);
        }
    }
}

void uses_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    uses_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void vectors_0_groups(const int n, const point *a, point *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    for (int i = begin * 32; i < i_end; ++i) {
        point p = turned(a[i]);
        p.x += square(p.y);
        b[i] = p;
        b[i].tag *= 2;
    }
}

void vectors_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    vectors_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
