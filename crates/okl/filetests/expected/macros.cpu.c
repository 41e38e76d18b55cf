// C11, made from OKL.
// @kernel objects: objects_0
// @kernel functions: functions_0
// @kernel blocks: blocks_0

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

static inline int sum3(int a, int b, int c) {
    return a + b + c;
}

static inline void objects_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = 10 * i;
        }
    }
}

void objects_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    objects_0_groups(arguments[0], begin, end);
}

static inline void functions_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 25;
            out[1] = 7;
            out[2] = 3;
            out[3] = 12;
            out[4] = sum3(1, 2, 3);
            out[5] = 42;
            out[6] = 3;
            do {
                out[7] = 9;
            } while (false);
        }
    }
}

void functions_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    functions_0_groups(arguments[0], begin, end);
}

static inline void blocks_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 3;
            out[1] = 5;
            out[2] = 8;
        }
    }
}

void blocks_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    blocks_0_groups(arguments[0], begin, end);
}
