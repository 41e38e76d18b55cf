// C11, made from OKL.
// @kernel integers: integers_0
// @kernel floats: floats_0
// @kernel widths: widths_0

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

static inline void integers_0_groups(int64_t *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 10;
            out[1] = 8;
            out[2] = 255;
            out[3] = 5;
            out[4] = 4294967295ll;
            out[5] = 4294967296ll;
            out[6] = -1;
            out[7] = 65;
            out[8] = 10;
            out[9] = 92;
            out[10] = 0;
            out[11] = 27;
            out[12] = 18;
            out[13] = 1;
        }
    }
}

void integers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    integers_0_groups(arguments[0], begin, end);
}

static inline void floats_0_groups(double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1.5;
            out[1] = 0.5;
            out[2] = 2.0;
            out[3] = 1000.0;
            out[4] = 0.001;
            out[5] = 0.10000000149011612;
            out[6] = 1.5;
            out[7] = 3.0;
        }
    }
}

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    floats_0_groups(arguments[0], begin, end);
}

static inline void widths_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1;
            out[1] = 2;
            out[2] = 4;
            out[3] = 8;
            out[4] = 8;
            out[5] = 4;
        }
    }
}

void widths_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    widths_0_groups(arguments[0], begin, end);
}
