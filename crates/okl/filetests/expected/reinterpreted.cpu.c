// C11, made from OKL.
// @kernel floats: floats_0
// @kernel doubles: doubles_0
// @kernel constants: constants_0

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

static inline uint32_t okl_bits_of_f32(float a) {
    uint32_t value;
    __builtin_memcpy(&value, &a, sizeof value);
    return value;
}

static inline uint64_t okl_bits_of_f64(double a) {
    uint64_t value;
    __builtin_memcpy(&value, &a, sizeof value);
    return value;
}

static inline float okl_from_bits_u32(uint32_t a) {
    float value;
    __builtin_memcpy(&value, &a, sizeof value);
    return value;
}

static inline double okl_from_bits_u64(uint64_t a) {
    double value;
    __builtin_memcpy(&value, &a, sizeof value);
    return value;
}

static inline void floats_0_groups(const float *x, uint32_t *u, int *i, float *back, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int t = 0; t < 3; ++t) {
            u[t] = okl_bits_of_f32(x[t]);
            i[t] = (int)okl_bits_of_f32(x[t]) + 1;
            back[t] = okl_from_bits_u32(okl_bits_of_f32(x[t]) + t) + okl_from_bits_u32(okl_bits_of_f32(x[t]));
        }
        {
            const int t = 3;
            u[t] = okl_bits_of_f32(x[t]);
            i[t] = (int)okl_bits_of_f32(x[t]) + 1;
            back[t] = okl_from_bits_u32((int)okl_bits_of_f32(x[t]) ^ INT32_MIN);
        }
    }
}

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    floats_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void doubles_0_groups(const double *x, uint64_t *u, double *back, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        {
            const int t = 0;
            u[t] = okl_bits_of_f64(x[t]);
            back[t] = okl_from_bits_u64((int64_t)okl_bits_of_f64(x[t]) ^ INT64_MIN);
        }
        OKL_INDEPENDENT_SHORT
        for (int t = 1; t < 2; ++t) {
            u[t] = okl_bits_of_f64(x[t]);
            back[t] = okl_from_bits_u64(u[t] ^ 9223372036854775808ull);
        }
    }
}

void doubles_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    doubles_0_groups(arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void constants_0_groups(float *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        {
            const int t = 0;
            out[t] = 1.5f;
        }
        {
            const int t = 1;
            out[t] = -INFINITY;
        }
        {
            const int t = 2;
            out[t] = NAN;
        }
        OKL_INDEPENDENT_SHORT
        for (int t = 3; t < 4; ++t) {
            out[t] = 3.5f;
        }
    }
}

void constants_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    constants_0_groups(arguments[0], begin, end);
}
