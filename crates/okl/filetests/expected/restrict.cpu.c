// C11, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the turns of the loop do not depend on each other.
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

void shift_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    const int *restrict a = arguments[1];
    int *restrict b = arguments[2];
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        b[i] = a[i] + 1;
    }
}

void plain_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    const int *a = arguments[1];
    int *b = arguments[2];
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        b[i] = a[i] + 1;
    }
}

void both_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    const int *restrict a = arguments[1];
    const int *restrict b = arguments[2];
    int *c = arguments[3];
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        c[i] = a[i] + b[i];
    }
}
