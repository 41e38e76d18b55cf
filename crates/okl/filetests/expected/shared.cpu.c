// C11, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel scalar: scalar_0

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

static inline void reverse_0_groups(double *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[4];
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            s[i] = x[4 * o + i];
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            x[4 * o + i] = s[3 - i];
        }
    }
}

void reverse_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    reverse_0_groups(arguments[0], begin, end);
}

static inline void transpose_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4][5];
        OKL_WRITTEN_OUT_ROWS
        for (int64_t j = 0; j < 4; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int64_t i = 0; i < 4; ++i) {
                s[j][i] = in[4 * j + i];
            }
        }
        OKL_WRITTEN_OUT_ROWS
        for (int64_t j = 0; j < 4; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int64_t i = 0; i < 4; ++i) {
                out[4 * j + i] = s[i][j];
            }
        }
    }
}

void transpose_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    transpose_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void scalar_0_groups(int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int total;
        total = 7 * o;
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 2; ++i) {
            out[2 * o + i] = total;
        }
    }
}

void scalar_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    scalar_0_groups(arguments[0], begin, end);
}
