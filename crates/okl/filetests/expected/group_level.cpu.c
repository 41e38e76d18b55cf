// C11, made from OKL.
// @kernel offsets: offsets_0
// @kernel branches: branches_0
// @kernel rounds: rounds_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline void offsets_0_groups(const int *starts, const int *x, int *out, int64_t begin_1, int64_t end_1) {
    for (int o = begin_1; o < end_1; ++o) {
        const int begin = starts[o];
        const int end = starts[o + 1];
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 1; ++i) {
            int sum = 0;
            for (int k = begin; k < end; ++k) {
                sum += x[k];
            }
            out[o] = sum;
        }
    }
}

void offsets_0(void *const *arguments, const int64_t *dims, int64_t begin_1, int64_t end_1, void *scratch) {
    (void)dims; (void)scratch;
    offsets_0_groups(arguments[0], arguments[1], arguments[2], begin_1, end_1);
}

static inline void branches_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        int factor = o;
        if (o >= 2) {
            factor *= 10;
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                out[2 * o + i] = factor;
            }
        } else {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                out[2 * o + i] = factor;
            }
        }
    }
}

void branches_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    branches_0_groups(arguments[0], begin, end);
}

static inline void rounds_0_groups(const int rounds, int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int r = 1; r < rounds; ++r) {
            const int factor = r + 1;
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                x[2 * o + i] *= factor;
            }
        }
    }
}

void rounds_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rounds_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
