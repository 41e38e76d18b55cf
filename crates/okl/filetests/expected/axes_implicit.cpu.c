// C11, made from OKL.
// @kernel fill: fill_0

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

static inline void fill_0_groups(int *out, const int64_t *dims, int64_t begin, int64_t end) {
    int64_t group_x = begin % dims[0];
    int64_t group_y = begin / dims[0];
    for (int64_t group = begin; group < end; ++group) {
        const int b = group_x;
        const int a = group_y;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
        }
        for (int c = 0; c < 2; ++c) {
            OKL_INDEPENDENT_SHORT
            for (int d = 0; d < 2; ++d) {
                out[((a * 2 + b) * 2 + c) * 2 + d] = 1000 * a + 100 * b + 10 * c + d;
            }
        }
    }
}

void fill_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    fill_0_groups(arguments[0], dims, begin, end);
}
