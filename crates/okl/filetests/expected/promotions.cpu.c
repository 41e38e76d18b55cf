// C11, made from OKL.
// @kernel mixed: mixed_0
// @kernel floats: floats_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred turns at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

void mixed_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int a = *(const int *)arguments[0];
    const uint32_t u = *(const uint32_t *)arguments[1];
    const uint8_t c = *(const uint8_t *)arguments[2];
    const int16_t s = *(const int16_t *)arguments[3];
    const int64_t l = *(const int64_t *)arguments[4];
    const float f = *(const float *)arguments[5];
    const double d = *(const double *)arguments[6];
    int64_t *out = arguments[7];
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
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

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int i = *(const int *)arguments[0];
    float *out = arguments[1];
    double *wide = arguments[2];
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = i;
            out[1] = i * 1.0f;
            out[2] = 1.0f / 2.0f;
            out[3] = 3.0f;
            wide[0] = i * 1.0;
            wide[1] = 1.0f / 2.0f;
            wide[2] = 0.1f + 0.2f;
            wide[3] = 0.1 + 0.2;
        }
    }
}
