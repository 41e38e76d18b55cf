// C11, made from OKL.
// @kernel reduce: reduce_0

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

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void reduce_0_groups(const int n, const double *u, double *sums, int64_t begin, int64_t end) {
    for (int b = begin; b < end; ++b) {
        _Alignas(64) double s[256];
        const int64_t t_end = okl_min_i64(256, n - (int64_t)b * 256);
        OKL_INDEPENDENT_SHORT
        for (int t = 0; t < t_end; ++t) {
            const int i = b * 256 + t;
            s[t] = u[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int t = okl_max_i64(0, n - (int64_t)b * 256); t < 256; ++t) {
            s[t] = 0.0;
        }
        for (int alive = 128; alive > 0; alive /= 2) {
            const int64_t t_end_1 = okl_min_i64(256, alive);
            OKL_INDEPENDENT_SHORT
            for (int t = 0; t < t_end_1; ++t) {
                s[t] += s[t + alive];
            }
        }
        sums[b] = s[0];
    }
}

void reduce_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    reduce_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
