// C11, made from OKL.
// @kernel names: names_0
// @kernel hiding: hiding_0

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

static inline int double_(int register_) {
    return 2 * register_;
}

static inline void names_0_groups(const int *in, int *out, const int global, const int restrict_, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int threadIdx = 0; threadIdx < 2; ++threadIdx) {
            out[threadIdx] = in[threadIdx] + global + restrict_ - 1 + 1 + 2 + 3 + 4 + 5 + double_(3) + 4 - 3;
        }
    }
}

void names_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    names_0_groups(arguments[0], arguments[1], *(const int *)arguments[2], *(const int *)arguments[3], begin, end);
}

static inline void hiding_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        const int a = 1;
        const int a_1 = 10;
        const int a_2 = 100;
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 2; ++i) {
            x[i] += a_2;
            x[i] += a_1;
            x[i] += a;
            for (int a_3 = 0; a_3 < 3 * i; ++a_3) {
                ++x[i];
            }
        }
    }
}

void hiding_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    hiding_0_groups(arguments[0], begin, end);
}
