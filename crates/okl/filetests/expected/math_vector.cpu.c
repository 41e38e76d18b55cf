// C11, made from OKL.
// @kernel waves: waves_0

#include <math.h>
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

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void waves_0_groups(const int n, const double *x, double *y, float *z, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    OKL_INDEPENDENT
    for (int i = begin * 32; i < i_end; ++i) {
        const double angle = 0.37 * x[i] - 40.0;
        y[i] = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        z[i] = 1.0f;
    }
}

void waves_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    waves_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
