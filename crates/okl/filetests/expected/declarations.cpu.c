// C11, made from OKL.
// @kernel late: late_0
// @kernel several: several_0

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

static inline void late_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) int a[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            a[i] = 10 * i;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = a[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            int b = 3;
            out[i] = s[i] + b;
        }
    }
}

void late_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    late_0_groups(arguments[0], begin, end);
}

static inline void several_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) int t[2][2];
        for (int i = 0; i < 4; ++i) {
            int b[2];
            int a = 1;
            b[0] = 2;
            b[1] = 100;
            s[i] = a + b[0];
            t[i / 2][i % 2] = b[1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = 10 * i + s[3 - i] + t[(3 - i) / 2][i % 2];
        }
    }
}

void several_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    several_0_groups(arguments[0], begin, end);
}
