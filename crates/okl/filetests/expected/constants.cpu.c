// C11, made from OKL.
// @kernel stencil: stencil_0
// @kernel table: table_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static const double weights[3] = {1.0, -2.0, 1.0};

static const int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

static inline double apply(const double *x) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += weights[k] * x[k - 1];
    }
    return sum;
}

static inline void stencil_0_groups(const int n, const double *x, double *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4 + 1, n - 1);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 4 + 1; i < i_end; ++i) {
        out[i] = apply(&x[i]);
    }
}

void stencil_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    stencil_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void table_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 3; ++k) {
            out[3 * o + k] = grid[o][k];
        }
    }
}

void table_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    table_0_groups(arguments[0], begin, end);
}
