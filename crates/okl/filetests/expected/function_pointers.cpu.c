// C11, made from OKL.
// @kernel memories: memories_0
// @kernel columns: columns_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_GUARDED
#endif

static inline void set_1(double *place, double value) {
    place[0] = value;
}

static inline void add_to(double *x, int at, double value) {
    set_1(&x[at], x[at] + value);
}

static inline double sum(int n, const double *x) {
    double total = 0.0;
    for (int k = 0; k < n; ++k) {
        total += x[k];
    }
    return total;
}

static inline int column_sum(const int (*a)[4], int rows, int column) {
    int total = 0;
    for (int r = 0; r < rows; ++r) {
        total += a[r][column];
    }
    return total;
}

static inline void memories_0_groups(const double *x, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[4];
        _Alignas(64) double kept[4][2];
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            set_1(&s[i], x[4 * o + i]);
            set_1(&kept[i][0], i);
            set_1(&kept[i][1], 0.0);
        }
        for (int i = 0; i < 4; ++i) {
            double mine[3] = {1.0, 2.0, 3.0};
            add_to(mine, 1, sum(4, s));
            add_to(&kept[i][0], 1, sum(4, &x[4 * o]) * 4.0);
            add_to(&out[4 * o], i, sum(3, mine) + sum(2, &kept[i][0]));
        }
    }
}

void memories_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    memories_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void columns_0_groups(const int *a, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int i = 0; i < 4; ++i) {
            int copy[3][4];
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 4; ++c) {
                    copy[r][c] = a[4 * r + c];
                }
            }
            out[i] = column_sum(copy, 3, i);
        }
    }
}

void columns_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    columns_0_groups(arguments[0], arguments[1], begin, end);
}
