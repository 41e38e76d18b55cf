// C11, made from OKL.
// @kernel down: down_0
// @kernel steps: steps_0
// @kernel inclusive: inclusive_0
// @kernel backward_steps: backward_steps_0
// @kernel wide: wide_0
// @kernel swapped: swapped_0

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

static inline void down_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int o = n + group * -1;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i > -1; --i) {
            out[n - o] = 10 * o + i;
        }
    }
}

void down_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    down_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void steps_0_groups(int *out, int64_t begin, int64_t end) {
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

void steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    steps_0_groups(arguments[0], begin, end);
}

static inline void inclusive_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 2; ++i) {
            out[2 * o + i] = 10 * o + i;
        }
    }
}

void inclusive_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    inclusive_0_groups(arguments[0], begin, end);
}

static inline void backward_steps_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int o = n + group * -3;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 1; ++i) {
            out[o] = o;
        }
    }
}

void backward_steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    backward_steps_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void wide_0_groups(uint32_t *out, int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
        const uint32_t i_end = 2;
        OKL_INDEPENDENT_SHORT
        for (uint32_t i = 0; i < i_end; ++i) {
            out[2 * o + i] = (uint32_t)(2 * o) + i + 1;
        }
    }
}

void wide_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    wide_0_groups(arguments[0], begin, end);
}

static inline void swapped_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 5; i < 6; ++i) {
            out[o] = o + i;
        }
    }
}

void swapped_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    swapped_0_groups(arguments[0], begin, end);
}
