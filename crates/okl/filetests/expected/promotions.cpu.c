// C11, made from OKL.
// @kernel mixed: mixed_0
// @kernel floats: floats_0

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

static inline void mixed_0_groups(const int a, const uint32_t u, const uint8_t c, const int16_t s, const int64_t l, const float f, const double d, int64_t *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int64_t k = 0; k < 1; ++k) {
            out[0] = (uint32_t)a < u;
            out[1] = l < u;
            out[2] = a * u;
            out[3] = c + c;
            out[4] = s + s;
            out[5] = s < c;
            out[6] = a == 4294967295u;
            out[7] = f == d;
            out[8] = (a < 0) + (c > 0) + (s != 0);
            out[9] = 1;
            out[10] = 4294967295ll;
            out[11] = 1;
        }
    }
}

void mixed_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    mixed_0_groups(*(const int *)arguments[0], *(const uint32_t *)arguments[1], *(const uint8_t *)arguments[2], *(const int16_t *)arguments[3], *(const int64_t *)arguments[4], *(const float *)arguments[5], *(const double *)arguments[6], arguments[7], begin, end);
}

static inline void floats_0_groups(const int i, float *out, double *wide, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int64_t k = 0; k < 1; ++k) {
            out[0] = i;
            out[1] = i * 1.0f;
            out[2] = 1.0f / 2.0f;
            out[3] = 3.0f;
            wide[0] = i * 1.0;
            wide[1] = 0.5;
            wide[2] = 0.30000001192092896;
            wide[3] = 0.1 + 0.2;
        }
    }
}

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    floats_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
