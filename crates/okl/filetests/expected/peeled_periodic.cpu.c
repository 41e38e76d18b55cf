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

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void step_0_groups(const int n, const double c1, const double c2, const double *u, double *v, int64_t begin, int64_t end) {
    if (begin * 256 <= 0 && 0 < n) {
        const int i = 0;
        const int64_t left = n - 1;
        const int64_t right = i == n - 1 ? 0 : i + 1;
        v[i] = u[i] + c2 * (u[right] - 2.0 * u[i] + u[left]) - u[i] * c1 * (u[right] - u[left]);
    }
    const int64_t i_end = okl_min_i64(end * 256, n - 1);
    OKL_INDEPENDENT
    for (int i = okl_max_i64(1, begin * 256); i < i_end; ++i) {
        const int64_t left = i - 1;
        const int64_t right = i + 1;
        v[i] = u[i] + c2 * (u[right] - 2.0 * u[i] + u[left]) - u[i] * c1 * (u[right] - u[left]);
    }
    if (begin * 256 <= n - 1 && 1 <= n - 1 && n - 1 < end * 256) {
        const int i = n - 1;
        const int64_t left = i - 1;
        const int64_t right = 0;
        v[i] = u[i] + c2 * (u[right] - 2.0 * u[i] + u[left]) - u[i] * c1 * (u[right] - u[left]);
    }
}

void step_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    step_0_groups(*(const int *)arguments[0], *(const double *)arguments[1], *(const double *)arguments[2], arguments[3], arguments[4], begin, end);
}
