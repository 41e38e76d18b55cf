// C11, made from OKL.
// @kernel three: three_0
// @kernel steps: steps_0
// @kernel three_tiles: three_tiles_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void three_0_groups(const int *a, int *b, const int64_t *dims, int64_t begin, int64_t end) {
    int64_t group_x = begin % dims[0];
    int64_t group_y = begin / dims[0] % dims[1];
    int64_t group_z = begin / dims[0] / dims[1];
    for (int64_t group = begin; group < end; ++group) {
        const int x = group_x;
        const int y = group_y;
        const int z = group_z;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
            if (group_y == dims[1]) {
                group_y = 0;
                ++group_z;
            }
        }
        for (int k = 0; k < 2; ++k) {
            for (int j = 0; j < 2; ++j) {
                if (j == k) {
                    OKL_INDEPENDENT_SHORT
                    for (int i = 0; i < 3; ++i) {
                        const int at = ((z * 2 + k) * 8 + y * 2 + j) * 16 + x * 4 + i;
                        b[at] = a[at] + x + 10 * y + 100 * z + 0 + 5;
                    }
                } else {
                    OKL_INDEPENDENT_SHORT
                    for (int i = 0; i < 3; ++i) {
                        const int at = ((z * 2 + k) * 8 + y * 2 + j) * 16 + x * 4 + i;
                        b[at] = a[at] + x + 10 * y + 100 * z + 0 + 0;
                    }
                }
                {
                    const int i = 3;
                    const int at = ((z * 2 + k) * 8 + y * 2 + j) * 16 + x * 4 + i;
                    b[at] = a[at] + x + 10 * y + 100 * z + 1000 + (j == k ? 5 : 0);
                }
            }
        }
    }
}

void three_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    three_0_groups(arguments[0], arguments[1], dims, begin, end);
}

static inline void steps_0_groups(const int *a, int *b, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int g = 3 + group * 4;
        OKL_INDEPENDENT_SHORT
        for (int t = 15; t > -3; t -= 3) {
            b[g * 2 + t] = a[g] + t;
        }
    }
}

void steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    steps_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void three_tiles_0_groups(const int nx, const int ny, const int nz, const int *a, int *b, const int64_t *dims, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end;) {
        const int64_t row = group / dims[0];
        const int64_t row_begin = group % dims[0];
        const int64_t row_end = okl_min_i64(dims[0], end - row * dims[0]);
        const int y_block = row % dims[1] * 4;
        const int z_block = row / dims[1] * 2;
        const int64_t z_end = okl_min_i64(z_block + 2, nz);
        for (int z = z_block; z < z_end; ++z) {
            const int64_t y_end = okl_min_i64(y_block + 4, ny);
            for (int y = y_block; y < y_end; ++y) {
                const int64_t x_end = okl_min_i64(row_end * 4, nx);
                OKL_INDEPENDENT
                for (int x = row_begin * 4; x < x_end; ++x) {
                    b[(z * ny + y) * nx + x] = a[(z * ny + y) * nx + x] + x - y + z;
                }
            }
        }
        group += row_end - row_begin;
    }
}

void three_tiles_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    three_tiles_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], arguments[3], arguments[4], dims, begin, end);
}
