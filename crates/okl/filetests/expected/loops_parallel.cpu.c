// C11, made from OKL.
// @kernel down: down_0
// @kernel steps: steps_0
// @kernel inclusive: inclusive_0
// @kernel backward_steps: backward_steps_0
// @kernel wide: wide_0
// @kernel swapped: swapped_0

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

void down_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    int *out = arguments[1];
    for (int64_t group = begin; group < end; ++group) {
        const int o = n + group * -1;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i > -1; --i) {
            out[n - o] = 10 * o + i;
        }
    }
}

void steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *out = arguments[0];
    for (int64_t group = begin; group < end; ++group) {
        const int o = 1 + group * 3;
        OKL_INDEPENDENT_SHORT
        for (int i = 9; i < 11; i += 2) {
            if (o + i <= 16) {
                out[o] = o + i;
            }
        }
    }
}

void inclusive_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *out = arguments[0];
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 2; ++i) {
            out[2 * o + i] = 10 * o + i;
        }
    }
}

void backward_steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    int *out = arguments[1];
    for (int64_t group = begin; group < end; ++group) {
        const int o = n + group * -3;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 1; ++i) {
            out[o] = o;
        }
    }
}

void wide_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    uint32_t *out = arguments[0];
    for (int64_t o = begin; o < end; ++o) {
        const uint32_t i_end = 2;
        OKL_INDEPENDENT_SHORT
        for (uint32_t i = 0; i < i_end; ++i) {
            out[2 * o + i] = (uint32_t)(2 * o) + i + 1;
        }
    }
}

void swapped_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *out = arguments[0];
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 5; i < 6; ++i) {
            out[o] = o + i;
        }
    }
}
