// C11, made from OKL.
// @kernel mixed: mixed_0

#include <math.h>
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

static inline float okl_fmax_f32(float a, float b) {
    return a > b || b != b ? a : b;
}

static inline double okl_fmax_f64(double a, double b) {
    return a > b || b != b ? a : b;
}

static inline double okl_fmin_f64(double a, double b) {
    return a < b || b != b ? a : b;
}

static inline void mixed_0_groups(const double x, const float f, const int i, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = okl_fmin_f64(x, f);
            out[1] = okl_fmax_f64(f, x);
            out[2] = copysign(x, -f);
            out[3] = fma(x, f, 1.0);
            out[4] = sqrt(i);
            out[5] = okl_fmax_f32(i, f);
            out[6] = okl_fmin_f64(x, f);
            out[7] = okl_fmax_f64(f, x);
        }
    }
}

void mixed_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    mixed_0_groups(*(const double *)arguments[0], *(const float *)arguments[1], *(const int *)arguments[2], arguments[3], begin, end);
}
