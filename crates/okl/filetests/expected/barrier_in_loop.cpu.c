// C11, made from OKL.
// @kernel sum: sum_0
// @kernel shift: shift_0

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

static inline void sum_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) int mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = x[4 * o + i];
        }
        for (int step = 1; step < 4; step *= 2) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                s[i] = mine[i];
            }
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                mine[i] = (uint32_t)mine[i] + s[i ^ step];
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            x[4 * o + i] = mine[i];
        }
    }
}

void sum_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sum_0_groups(arguments[0], begin, end);
}

static inline void shift_0_groups(const int rounds, int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) int next[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = x[i];
        }
        for (int64_t k = 0; k < rounds; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                next[i] = s[(i + 1) % 4];
            }
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                s[i] = next[i];
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            x[i] = s[i];
        }
    }
}

void shift_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    shift_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
