// C11, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0

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

static inline void skip_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) bool done[4];
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            done[i] = false;
        }
        {
            const int64_t i = 1;
            done[i] = true;
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 4; ++i) {
            if (!done[i]) {
                x[i] = (uint32_t)x[i] + 1;
            }
        }
    }
}

void skip_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    skip_0_groups(arguments[0], begin, end);
}

static inline void stop_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) bool done[4];
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            done[i] = false;
        }
        {
            const int64_t i = 1;
            done[i] = true;
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 4; ++i) {
            if (!done[i]) {
                x[i] = (uint32_t)x[i] + 1;
            }
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 4; ++i) {
            if (!done[i]) {
                x[i] = (uint32_t)x[i] + 10;
            }
        }
    }
}

void stop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    stop_0_groups(arguments[0], begin, end);
}
