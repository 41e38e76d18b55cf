// C11, made from OKL.
// @kernel rounds: rounds_0

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

static inline int okl_abs_i32(int a) {
    return a < 0 ? -a : a;
}

static inline double okl_fmax_f64(double a, double b) {
    return a > b || b != b ? a : b;
}

static inline float okl_fmin_f32(float a, float b) {
    return a < b || b != b ? a : b;
}

static inline double okl_fmin_f64(double a, double b) {
    return a < b || b != b ? a : b;
}

static inline int okl_max_i32(int a, int b) {
    return a > b ? a : b;
}

static inline int okl_min_i32(int a, int b) {
    return a < b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void rounds_0_groups(const int n, const double *x, const float *y, double *z, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    OKL_INDEPENDENT
    for (int i = begin * 64; i < i_end; ++i) {
        double r = sqrt(fabs(x[i])) + okl_fmin_f64(x[i], 0.25) * okl_fmax_f64(x[i], y[i]) + floor(x[i] * 3.0) - ceil(x[i]);
        r += fma(x[i], 2.0, 1.0) + okl_abs_i32(i - 50) + okl_min_i32(i, 7) + okl_max_i32(i, 100) + trunc(x[i] * 5.0);
        r += sqrtf(fabsf(y[i])) * okl_fmin_f32(y[i], 0.5f) + copysign(1.0, x[i]);
        if (isnan(r) || isinf(r)) {
            r = 0.0;
        }
        z[i] = r + okl_fmin_f64(z[i] / 0.0 * 0.0, 3.0);
    }
}

void rounds_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rounds_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
