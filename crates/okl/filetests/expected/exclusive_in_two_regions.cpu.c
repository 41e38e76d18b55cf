// C11, made from OKL.
// @kernel two: two_0

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

static inline void two_0_groups(double *x, int64_t begin, int64_t end) {
    for (int b = begin; b < end; ++b) {
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            double t = x[i] * 2.0;
            x[i] = t + 1.0;
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            double t = x[i] + 5.0;
            x[i] = t * t;
        }
    }
}

void two_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    two_0_groups(arguments[0], begin, end);
}
