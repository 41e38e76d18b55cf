// C11, made from OKL.
// @kernel transpose: transpose_0

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

static inline void transpose_0_groups(const int rows, const int columns, const double *in, double *out, const int64_t *dims, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end;) {
        const int64_t row = group / dims[0];
        const int64_t row_begin = group % dims[0];
        const int64_t row_end = okl_min_i64(dims[0], end - row * dims[0]);
        const int r_block = row * 4;
        const int64_t rows_1 = row_begin == 0 ? okl_max_i64(okl_min_i64(dims[1] - row, (end - group) / dims[0]), 1) : 1;
        const int64_t r_end = okl_min_i64(r_block + rows_1 * 4, rows);
        for (int64_t r = r_block; r < r_end; ++r) {
            const int64_t c_end = okl_min_i64(row_end * 4, columns);
            OKL_INDEPENDENT
            for (int64_t c = row_begin * 4; c < c_end; ++c) {
                out[c * rows + r] = in[r * columns + c];
            }
        }
        group += (row_end - row_begin) * rows_1;
    }
}

void transpose_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    transpose_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], dims, begin, end);
}
