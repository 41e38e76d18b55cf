// C11, made from OKL.
// @kernel sum: sum_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void sum_0_groups(const double *x, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[8];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            s[i] = x[8 * o + i];
        }
        for (int half = 4; half > 0; half /= 2) {
            const int64_t i_end = okl_min_i64(8, half);
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < i_end; ++i) {
                s[i] += s[i + half];
            }
        }
        out[o] = s[0];
    }
}

void sum_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sum_0_groups(arguments[0], arguments[1], begin, end);
}
