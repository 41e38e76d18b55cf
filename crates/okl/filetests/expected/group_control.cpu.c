// C11, made from OKL.
// @kernel leave: leave_0
// @kernel until: until_0
// @kernel which: which_0

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

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void leave_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int *n = arguments[0];
    int *out = arguments[1];
    for (int o = begin; o < end; ++o) {
        const int mine = n[o];
        if (!(mine == 0)) {
            const int64_t i_end = okl_min_i64(3, mine);
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < i_end; ++i) {
                ++out[3 * o + i];
            }
        }
    }
}

void until_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    int *out = arguments[1];
    for (int o = begin; o < end; ++o) {
        int left = n;
        while (left > 0) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 4; ++i) {
                ++out[i];
            }
            left -= 3;
        }
    }
}

void which_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *out = arguments[0];
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
