// C11, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

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

static inline void add_0_groups(const int n, const float *a, const float *b, float *ab, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 4; i < i_end; ++i) {
        ab[i] = a[i] + b[i];
    }
}

void add_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    add_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void from_0_groups(const int lo, const int hi, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(lo + end * 4, hi);
    OKL_INDEPENDENT
    for (int i = lo + begin * 4; i < i_end; ++i) {
        out[i] = i;
    }
}

void from_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    from_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], begin, end);
}
