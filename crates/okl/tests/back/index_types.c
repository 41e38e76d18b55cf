// C11, made from OKL.
// @kernel typed: typed_0, typed_1, typed_2, typed_3, typed_4

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

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void typed_0_groups(const uint64_t n, int *a, int64_t begin, int64_t end) {
    const uint64_t i_end = okl_min_i64(end * 128, n);
    OKL_INDEPENDENT
    for (uint64_t i = begin * 128; i < i_end; ++i) {
        ++a[i];
    }
}

void typed_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    typed_0_groups(*(const uint64_t *)arguments[0], arguments[1], begin, end);
}

static inline void typed_1_groups(const uint32_t m, int *a, int64_t begin, int64_t end) {
    const uint32_t i_end = okl_min_i64(end * 128, m);
    OKL_INDEPENDENT
    for (uint32_t i = okl_max_i64(1, begin * 128); i < i_end; ++i) {
        a[i] += 2;
    }
}

void typed_1(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    typed_1_groups(*(const uint32_t *)arguments[0], arguments[1], begin, end);
}

static inline void typed_2_groups(const int64_t k, double *c, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 128, k);
    OKL_INDEPENDENT
    for (int64_t i = begin * 128; i < i_end; ++i) {
        c[i] = i;
    }
}

void typed_2(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    typed_2_groups(*(const int64_t *)arguments[0], arguments[1], begin, end);
}

static inline void typed_3_groups(const uint64_t n, double *c, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 128, n);
    OKL_INDEPENDENT
    for (int i = begin * 128; i < i_end; ++i) {
        c[i] = i;
    }
}

void typed_3(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    typed_3_groups(*(const uint64_t *)arguments[0], arguments[1], begin, end);
}

static inline void typed_4_groups(const int64_t k, double *c, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, k);
    OKL_INDEPENDENT
    for (int64_t i = begin * 64; i < i_end; ++i) {
        c[i] = i;
    }
}

void typed_4(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    typed_4_groups(*(const int64_t *)arguments[0], arguments[1], begin, end);
}
