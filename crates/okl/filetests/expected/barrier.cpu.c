// C11, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

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

static inline void rotate_0_groups(const int *x, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) int mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = x[4 * o + i];
            s[i] = mine[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[4 * o + i] = 10 * (uint32_t)mine[i] + s[(i + 1) % 4];
        }
    }
}

void rotate_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rotate_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void twice_0_groups(int *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) int sum[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] = x[i];
            s[i] = sum[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] = (uint32_t)sum[i] + s[i ^ 1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = sum[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            sum[i] = (uint32_t)sum[i] + s[i ^ 2];
            x[i] = sum[i];
        }
    }
}

void twice_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    twice_0_groups(arguments[0], begin, end);
}
