// C11, made from OKL.
// @kernel spread: spread_0
// @kernel disjoint: disjoint_0

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

static inline void spread_0_groups(const int groups, const int *x, int *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        const int factor = x[o];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            y[o + i * groups] = (uint32_t)i * factor;
        }
    }
}

void spread_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    spread_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void disjoint_0_groups(const int groups, const int *restrict x, int *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        const int factor = x[o];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            y[o + i * groups] = (uint32_t)i * factor;
        }
    }
}

void disjoint_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    disjoint_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
