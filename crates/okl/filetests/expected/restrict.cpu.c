// C11, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

#include <stdbool.h>
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

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void shift_0_groups(const int n, const int *restrict a, int *restrict b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 2; i < i_end; ++i) {
        b[i] = (uint32_t)a[i] + 1;
    }
}

void shift_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    shift_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void plain_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 2; i < i_end; ++i) {
        b[i] = (uint32_t)a[i] + 1;
    }
}

void plain_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    plain_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void both_0_groups(const int n, const int *restrict a, const int *restrict b, int *c, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 2; i < i_end; ++i) {
        c[i] = (uint32_t)a[i] + b[i];
    }
}

void both_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    both_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
