// C11, made from OKL.
// @kernel casts: casts_0
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

static inline void casts_0_groups(const double x, const int big, int64_t *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = (int)x;
            out[1] = 255;
            out[2] = (int8_t)big;
            out[3] = 4294967295ll;
            out[4] = -1;
            out[5] = 1;
            out[6] = 0;
            out[7] = 65;
            out[8] = 3;
            out[9] = 2;
        }
    }
}

void casts_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    casts_0_groups(*(const double *)arguments[0], *(const int *)arguments[1], arguments[2], begin, end);
}

static inline void floats_0_groups(const double third, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = (float)third;
            out[1] = 4294967296.0;
            out[2] = -5.0 / 2.0 + 0.5;
        }
    }
}

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    floats_0_groups(*(const double *)arguments[0], arguments[1], begin, end);
}
