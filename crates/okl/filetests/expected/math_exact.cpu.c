// C11, made from OKL.
// @kernel double_precision: double_precision_0
// @kernel single_precision: single_precision_0
// @kernel integers: integers_0

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

static inline int okl_abs_i32(int a) {
    return a < 0 ? -a : a;
}

static inline float okl_fmax_f32(float a, float b) {
    return a > b || b != b ? a : b;
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

static inline uint32_t okl_max_u32(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static inline int okl_min_i32(int a, int b) {
    return a < b ? a : b;
}

static inline void double_precision_0_groups(const double *x, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = sqrt(x[0]);
            out[1] = fabs(x[1]);
            out[2] = floor(x[1]);
            out[3] = floor(x[2]);
            out[4] = ceil(x[1]);
            out[5] = round(x[1]);
            out[6] = ceil(x[2]);
            out[7] = trunc(x[1]);
            out[8] = rint(x[2]);
            out[9] = fmod(x[4], 3.0);
            out[10] = okl_fmin_f64(x[1], x[0]);
            out[11] = okl_fmax_f64(x[1], x[0]);
            out[12] = copysign(x[4], x[1]);
            out[13] = fma(x[0], x[2], 0.5);
            out[14] = isnan(x[0] / 0.0 - x[0] / 0.0);
            out[15] = isnan(x[0]);
            out[16] = isinf(x[0] / 0.0);
            out[17] = okl_fmax_f64(x[0], x[3]) + okl_fmin_f64(x[0], x[3]);
            out[18] = isfinite(1.0 / 0.0);
        }
    }
}

void double_precision_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    double_precision_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void single_precision_0_groups(const float *x, float *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = sqrtf(x[0]);
            out[1] = fabsf(x[1]);
            out[2] = floorf(x[1]);
            out[3] = ceilf(x[1]);
            out[4] = okl_fmax_f32(x[0], x[1]);
            out[5] = okl_fmin_f32(x[0], x[1]);
            out[6] = fmaf(x[2], x[2], 0.5f);
            out[7] = fmodf(x[2], 1.0f);
        }
    }
}

void single_precision_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    single_precision_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void integers_0_groups(const int a, const int b, const uint32_t u, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        if (okl_abs_i32(a) > b) {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 1; ++k) {
                out[0] = okl_abs_i32(a);
                out[1] = okl_min_i32(a, b);
                out[2] = okl_max_i32(a, b);
                out[3] = okl_max_u32(u, 3);
                out[4] = okl_abs_i32(a);
                out[5] = okl_min_i32(b, a);
            }
        } else {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 1; ++k) {
                out[0] = okl_abs_i32(a);
                out[1] = okl_min_i32(a, b);
                out[2] = okl_max_i32(a, b);
                out[3] = okl_max_u32(u, 3);
                out[4] = b;
                out[5] = okl_min_i32(b, a);
            }
        }
    }
}

void integers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    integers_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const uint32_t *)arguments[2], arguments[3], begin, end);
}
