// C11, made from OKL.
// @kernel scalars: scalars_0
// @kernel arrays: arrays_0
// @kernel tables: tables_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_GROUPS: a loop over groups, of which clang makes no vectors.
// OKL_WRITTEN_OUT_ROWS: gcc writes the loop's few iterations out; clang makes vectors of rows.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_GROUPS _Pragma("clang loop vectorize(disable)")
#define OKL_WRITTEN_OUT_ROWS
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_GROUPS
#define OKL_WRITTEN_OUT_ROWS _Pragma("GCC unroll 4")
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_GROUPS
#define OKL_WRITTEN_OUT_ROWS
#endif

static inline void scalars_0_groups(const double *x, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double a[4];
        _Alignas(64) double b[4];
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            b[i] = 1.0;
            a[i] = 2.0 * x[4 * o + i];
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            out[4 * o + i] = a[i] + b[i];
        }
    }
}

void scalars_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    scalars_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void arrays_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int a[3][4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            OKL_WRITTEN_OUT_ROWS
            for (int k = 0; k < 3; ++k) {
                a[k][i] = 10 * i + k;
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            out[i] = (uint32_t)a[0][i] + a[1][i] + a[2][i];
        }
    }
}

void arrays_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    arrays_0_groups(arguments[0], begin, end);
}

static inline void tables_0_groups(int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int t[3][2][3];
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 3; ++i) {
            (&t[0][0][0])[i * 6] = 0;
            (&t[0][0][0])[i * 6 + 1] = 1;
            (&t[0][0][0])[i * 6 + 2] = 2;
            (&t[0][0][0])[i * 6 + 3] = 10;
            (&t[0][0][0])[i * 6 + 4] = 20;
            (&t[0][0][0])[i * 6 + 5] = 30;
            int shift = 10 * o;
            t[i][0][i] = t[i][0][i] + (uint32_t)shift * 3;
        }
        {
            const int64_t i = 0;
            out[3 * o + i] = (uint32_t)t[i][0][i] + 0;
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 1; i < 3; ++i) {
            out[3 * o + i] = (uint32_t)t[i][0][i] + (&t[0][0][0])[i * 6 + (3 + (i - 1))];
        }
    }
}

void tables_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    tables_0_groups(arguments[0], begin, end);
}
