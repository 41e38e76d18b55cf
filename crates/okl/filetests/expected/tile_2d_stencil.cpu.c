// C11, made from OKL.
// @kernel lap: lap_0

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

static inline void lap_0_groups(const int nx, const int ny, const double *u, double *v, const int64_t *dims, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end;) {
        const int64_t row = group / dims[0];
        const int64_t row_begin = group % dims[0];
        const int64_t row_end = okl_min_i64(dims[0], end - row * dims[0]);
        const int y_block = 1 + row * 16;
        const int64_t rows = row_begin == 0 ? okl_max_i64(okl_min_i64(dims[1] - row, (end - group) / dims[0]), 1) : 1;
        const int64_t y_end = okl_min_i64(y_block + rows * 16, ny - 1);
        for (int64_t y = y_block; y < y_end; ++y) {
            const int64_t x_end = okl_min_i64(row_end * 16 + 1, nx - 1);
            OKL_INDEPENDENT
            for (int64_t x = row_begin * 16 + 1; x < x_end; ++x) {
                v[y * nx + x] = 0.25 * (u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x]);
            }
        }
        group += (row_end - row_begin) * rows;
    }
}

void lap_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    lap_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], dims, begin, end);
}
