// C11, made from OKL.
// @kernel layers: layers_0
// @kernel numbered: numbered_0

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

static inline void layers_0_groups(const int depth, const int height, const int n, const double *restrict x, double *restrict a, const int64_t *dims, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end;) {
        const int64_t row = group / dims[0];
        const int64_t row_begin = group % dims[0];
        const int64_t row_end = okl_min_i64(okl_min_i64(dims[0], end - row * dims[0]), row_begin + 4096);
        const int jb = row * 4;
        const int64_t rows = row_begin == 0 ? okl_max_i64(okl_min_i64(okl_min_i64(dims[1] - row, (end - group) / dims[0]), 4096 / dims[0]), 1) : 1;
        for (int64_t k = 0; k < depth; ++k) {
            const int64_t j_end = okl_min_i64(rows * 4, (int64_t)height - jb);
            for (int64_t j = 0; j < j_end; ++j) {
                const int64_t i_end = okl_min_i64(row_end * 8, n);
                OKL_INDEPENDENT
                for (int64_t i = row_begin * 8; i < i_end; ++i) {
                    a[(k * height + jb + j) * n + i] = 2.0 * x[(k * height + jb + j) * n + i];
                }
            }
        }
        group += (row_end - row_begin) * rows;
    }
}

void layers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    layers_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], arguments[3], arguments[4], dims, begin, end);
}

static inline void numbered_0_groups(const int depth, const int height, const int n, const double *restrict x, double *restrict a, const int64_t *dims, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end;) {
        const int64_t row = group / dims[0];
        const int64_t row_begin = group % dims[0];
        const int64_t row_end = okl_min_i64(okl_min_i64(dims[0], end - row * dims[0]), row_begin + 4096);
        const int jb = row * 4;
        for (int64_t k = 0; k < depth; ++k) {
            const int64_t j_end = okl_min_i64(4, (int64_t)height - jb);
            for (int64_t j = 0; j < j_end; ++j) {
                const int64_t i_end = okl_min_i64(row_end * 8, n);
                OKL_INDEPENDENT
                for (int64_t i = row_begin * 8; i < i_end; ++i) {
                    a[(k * height + jb + j) * n + i] = (1 + jb / 4) * x[(k * height + jb + j) * n + i];
                }
            }
        }
        group += row_end - row_begin;
    }
}

void numbered_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    numbered_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], arguments[3], arguments[4], dims, begin, end);
}
