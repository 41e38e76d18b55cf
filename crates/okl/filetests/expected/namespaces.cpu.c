// C11, made from OKL.
// @kernel all: all_0
// @kernel from_outside: from_outside_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

typedef struct math_Pair {
    double a;
    double b;
} math_Pair;
_Static_assert(sizeof(math_Pair) == 16, "size of math_Pair");
_Static_assert(offsetof(math_Pair, a) == 0, "offset of math_Pair.a");
_Static_assert(offsetof(math_Pair, b) == 8, "offset of math_Pair.b");

static inline double okl_fmax_f64(double a, double b) {
    return a > b || b != b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static const double math_table[3] = {1.0, 2.0, 4.0};

static inline double math_square(double x) {
    return x * x;
}

static inline double math_detail_twice(double x) {
    return 2.0 * math_square(x) + 5.0;
}

static inline double math_all(double x) {
    const math_Pair p = {math_detail_twice(x), math_table[2]};
    return p.a + p.b;
}

static inline int other_deep_factor(int x) {
    return 2 * x;
}

static inline double other_deep_square(double x) {
    return -x;
}

static inline void all_0_groups(const int n, const double *x, double *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int64_t i = begin * 2; i < i_end; ++i) {
        math_Pair p = {math_detail_twice(1.0), 0.0};
        p.b = okl_fmax_f64(x[i], 0.0) * 7.0;
        y[i] = p.a + p.b + math_all(2.0) + 5.0 - 2.0 - other_deep_factor(1) + 3.0;
    }
}

void all_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    all_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void from_outside_0_groups(const int n, double *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 2; i < i_end; ++i) {
        y[i] = other_deep_square(10.0) + other_deep_square(4.0);
    }
}

void from_outside_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    from_outside_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
