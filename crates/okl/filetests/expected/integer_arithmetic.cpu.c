// C11, made from OKL.
// @kernel divide: divide_0
// @kernel bits: bits_0
// @kernel wraps: wraps_0
// @kernel precedence: precedence_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void divide_0_groups(const int n, const int *a, const int *b, int *q, int *r, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}

void divide_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    divide_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], begin, end);
}

static inline void bits_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            x[0] = 40;
            x[1] = -3;
            x[2] = 2147483644;
            x[3] = 1;
            x[4] = 12;
            x[5] = 8;
            x[6] = 6;
            x[7] = 14;
            x[8] = -13;
            x[9] = 255;
        }
    }
}

void bits_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    bits_0_groups(arguments[0], begin, end);
}

static inline void wraps_0_groups(uint32_t *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            x[0] = 4294967295u;
            x[1] = 0;
            x[2] = 4294967291u;
            x[3] = 1;
        }
    }
}

void wraps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    wraps_0_groups(arguments[0], begin, end);
}

static inline void precedence_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            x[0] = 14;
            x[1] = 20;
            x[2] = 1;
            x[3] = 6;
            x[4] = 7;
            x[5] = 1;
            x[6] = 24;
            x[7] = -6;
        }
    }
}

void precedence_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    precedence_0_groups(arguments[0], begin, end);
}
