// C11, made from OKL.
// @kernel one_each: one_each_0
// @kernel single: single_0

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

static inline float okl_rsqrt_f32(float a) {
    return 1.0f / __builtin_sqrtf(a);
}

static inline double okl_rsqrt_f64(double a) {
    return 1.0 / __builtin_sqrt(a);
}

static inline void one_each_0_groups(const double x, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = exp(x);
            out[1] = exp2(x);
            out[2] = expm1(1e-5 + (x - 0.5));
            out[3] = log(2.5 + (x - 0.5));
            out[4] = log2(10.0 + (x - 0.5));
            out[5] = log10(50.0 + (x - 0.5));
            out[6] = log1p(1e-5 + (x - 0.5));
            out[7] = sin(x);
            out[8] = cos(x);
            out[9] = tan(x);
            out[10] = asin(x);
            out[11] = acos(x);
            out[12] = atan(x);
            out[13] = sinh(x);
            out[14] = cosh(x);
            out[15] = tanh(x);
            out[16] = asinh(x);
            out[17] = acosh(1.5 + (x - 0.5));
            out[18] = atanh(x);
            out[19] = erf(x);
            out[20] = erfc(x);
            out[21] = cbrt(2.0 + (x - 0.5));
            out[22] = tgamma(4.5 + (x - 0.5));
            out[23] = lgamma(4.5 + (x - 0.5));
            out[24] = pow(1.0 + x, 2.0 + x);
            out[25] = atan2(0.5 + x, -1.5 - x);
            out[26] = hypot(2.5 + x, 4.0 + x);
            out[27] = okl_rsqrt_f64(1.5 + x);
        }
    }
}

void one_each_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    one_each_0_groups(*(const double *)arguments[0], arguments[1], begin, end);
}

static inline void single_0_groups(const float x, float *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = expf(x);
            out[1] = logf(x);
            out[2] = sinf(x);
            out[3] = cosf(x);
            out[4] = tanhf(x);
            out[5] = powf(x, 0.25f);
            out[6] = atan2f(x, -1.0f);
            out[7] = okl_rsqrt_f32(x);
        }
    }
}

void single_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    single_0_groups(*(const float *)arguments[0], arguments[1], begin, end);
}
