// C11, made from OKL.
// @kernel blocks: blocks_0
// @kernel ordinary: ordinary_0
// @kernel three: three_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_GROUPS: a loop over groups, of which clang makes no vectors.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_GROUPS _Pragma("clang loop vectorize(disable)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_GROUPS
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_GROUPS
#endif

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void blocks_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < (int64_t)i_block + 4 && i < n; ++i) {
            OKL_INDEPENDENT_SHORT
            for (int64_t k = 0; k < 2; ++k) {
                out[2 * i + k] = (uint32_t)out[2 * i + k] + 1;
            }
        }
    }
}

void blocks_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    blocks_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void ordinary_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int64_t k = 0; k < 1; ++k) {
            int sum = 0;
            for (int i = 0; i < n; ++i) {
                sum = (uint32_t)sum + i;
            }
            out[o] = sum;
        }
    }
}

void ordinary_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    ordinary_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void three_0_groups(const int a, const int b, const int c, int *out, const int64_t *dims, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end;) {
        const int64_t row = group / dims[0];
        const int64_t row_begin = group % dims[0];
        const int64_t row_end = okl_min_i64(dims[0], end - row * dims[0]);
        const int y_block = row % dims[1] * 2;
        const int x_block = row / dims[1] * 2;
        const int64_t rows = row_begin == 0 ? okl_max_i64(okl_min_i64(dims[1] - row % dims[1], (end - group) / dims[0]), 1) : 1;
        const int64_t x_end = okl_min_i64(x_block + 2, a);
        for (int64_t x = x_block; x < x_end; ++x) {
            const int64_t y_end = okl_min_i64(y_block + rows * 2, b);
            for (int64_t y = y_block; y < y_end; ++y) {
                const int64_t z_end = okl_min_i64(row_end * 4, c);
                OKL_INDEPENDENT
                for (int64_t z = row_begin * 4; z < z_end; ++z) {
                    out[(x * b + y) * c + z] = (uint32_t)out[(x * b + y) * c + z] + 1;
                }
            }
        }
        group += (row_end - row_begin) * rows;
    }
}

void three_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    three_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], arguments[3], dims, begin, end);
}
