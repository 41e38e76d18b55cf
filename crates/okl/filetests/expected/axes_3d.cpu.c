// C11, made from OKL.
// @kernel count: count_0
// @kernel where: where_0

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

static inline void count_0_groups(const int b, int *out, const int64_t *dims, int64_t begin, int64_t end) {
    int64_t group_x = begin % dims[0];
    int64_t group_y = begin / dims[0] % dims[1];
    int64_t group_z = begin / dims[0] / dims[1];
    for (int64_t group_1 = begin; group_1 < end; ++group_1) {
        const int o0 = group_x;
        const int o1 = group_y;
        const int o2 = group_z;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
            if (group_y == dims[1]) {
                group_y = 0;
                ++group_z;
            }
        }
        const int group = (o2 * b + o1) * 2 + o0;
        for (int i2 = 0; i2 < 3; ++i2) {
            for (int i1 = 0; i1 < 2; ++i1) {
                OKL_INDEPENDENT_SHORT
                for (int i0 = 0; i0 < 2; ++i0) {
                    ++out[group * 12 + (i2 * 2 + i1) * 2 + i0];
                }
            }
        }
    }
}

void count_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    count_0_groups(*(const int *)arguments[0], arguments[1], dims, begin, end);
}

static inline void where_0_groups(int *out, const int64_t *dims, int64_t begin, int64_t end) {
    int64_t group_x = begin % dims[0];
    int64_t group_y = begin / dims[0];
    for (int64_t group = begin; group < end; ++group) {
        const int x = group_x;
        const int y = group_y;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
        }
        for (int j = 0; j < 2; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                out[((x * 2 + y) * 2 + i) * 2 + j] = 1000 * x + 100 * y + 10 * i + j;
            }
        }
    }
}

void where_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    where_0_groups(arguments[0], dims, begin, end);
}
