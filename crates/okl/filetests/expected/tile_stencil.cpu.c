// C11, made from OKL.
// @kernel step: step_0

#include <stdbool.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

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

static inline void step_0_groups(const int n, const double c1, const double c2, const double *u, double *v, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 256, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 256; i < i_end; ++i) {
        v[i + 1] = u[i + 1] + c2 * (u[i + 2] - 2.0 * u[i + 1] + u[i]) - u[i + 1] * c1 * (u[i + 2] - u[i]);
    }
}

void step_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    step_0_groups(*(const int *)arguments[0], *(const double *)arguments[1], *(const double *)arguments[2], arguments[3], arguments[4], begin, end);
}
