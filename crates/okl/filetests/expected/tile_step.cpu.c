// C11, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

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

static inline void every_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 8;
        OKL_INDEPENDENT_GUARDED
        for (int i = i_block; i < (int64_t)i_block + 8; i += 2) {
            if (i < n) {
                ++out[i];
            }
        }
    }
}

void every_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    every_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void through_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, (int64_t)n + 1);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        ++out[i];
    }
}

void through_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    through_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void down_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = n - 1 + group * -4;
        OKL_INDEPENDENT_GUARDED
        for (int i = i_block; i > (int64_t)i_block + -4; --i) {
            if (i >= 0) {
                ++out[i];
            }
        }
    }
}

void down_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    down_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
