// C11, made from OKL.
// @kernel copy: copy_0
// @kernel rows: rows_0
// @kernel walk: walk_0

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

static inline void copy_0_groups(const int n, const double *x, double *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        y[i] = x[i] + 1.0;
    }
}

void copy_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    copy_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void rows_0_groups(const int *x, int *out, int64_t begin, int64_t end) {
    for (int r = begin; r < end; ++r) {
        const int row_offset = 4 * r;
        OKL_INDEPENDENT_GUARDED
        for (int k = 0; k < 1; ++k) {
            int sum = 0;
            for (int c = 0; c < 4; ++c) {
                sum += x[(int64_t)row_offset + c];
            }
            out[r] = sum;
        }
    }
}

void rows_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rows_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void walk_0_groups(const int *x, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int k = 0; k < 1; ++k) {
            int64_t p_offset = 0;
            int sum = 0;
            while (x[p_offset]) {
                const int64_t before = p_offset;
                p_offset = p_offset + 1;
                sum += x[before];
            }
            out[0] = sum;
            out[1] = p_offset;
        }
    }
}

void walk_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    walk_0_groups(arguments[0], arguments[1], begin, end);
}
