// C11, made from OKL.
// @kernel end_early: end_early_0
// @kernel until: until_0
// @kernel which: which_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_GROUPS: a loop over groups, of which clang makes no vectors.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_GROUPS _Pragma("clang loop vectorize(disable)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_GROUPS
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_GROUPS
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void end_early_0_groups(const int *n, int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int o = begin; o < end; ++o) {
        const int64_t mine = n[o];
        if (!(mine == 0)) {
            const int64_t i_end = okl_min_i64(3, mine);
            OKL_INDEPENDENT_SHORT
            for (int64_t i = 0; i < i_end; ++i) {
                out[3 * o + i] = (uint32_t)out[3 * o + i] + 1;
            }
        }
    }
}

void end_early_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    end_early_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void until_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        int64_t left = n;
        while (left > 0) {
            OKL_INDEPENDENT_SHORT
            for (int64_t i = 0; i < 4; ++i) {
                out[i] = (uint32_t)out[i] + 1;
            }
            left -= 3;
        }
    }
}

void until_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    until_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void which_0_groups(int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int o = begin; o < end; ++o) {
        int base;
        if (o == 0) {
            base = 10;
        } else if (o == 1) {
            base = 20;
        } else {
            base = 30;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 2; ++i) {
            out[2 * o + i] = base + i;
        }
    }
}

void which_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    which_0_groups(arguments[0], begin, end);
}
