// C11, made from OKL.
// @kernel sizes: sizes_0

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

static inline void sizes_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[8];
        _Alignas(64) int mine[8];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            mine[i] = 10 * i;
            s[i] = i;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = s[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[i] = mine[i];
        }
    }
}

void sizes_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sizes_0_groups(arguments[0], begin, end);
}
