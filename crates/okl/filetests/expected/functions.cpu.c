// C11, made from OKL.
// @kernel apply: apply_0
// @kernel powers: powers_0
// @kernel gcds: gcds_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline double square(double x) {
    return x * x;
}

static inline double twice(double x) {
    return square(x) + square(-x);
}

static inline int power(int base, int exponent) {
    int result = 1;
    while (exponent > 0) {
        result *= base;
        --exponent;
    }
    return result;
}

static inline int gcd(int a, int b) {
    while (true) {
        if (b == 0) {
            return a;
        }
        const int r = a % b;
        a = b;
        b = r;
    }
}

static inline void apply_0_groups(const int n, const double *x, double *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = twice(x[i]);
    }
}

void apply_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    apply_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void powers_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = power(3, i);
    }
}

void powers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    powers_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void gcds_0_groups(const int n, int *a, const int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 4; i < i_end; ++i) {
        a[i] = gcd(a[i], b[i]);
    }
}

void gcds_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    gcds_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
