// C11, made from OKL.
// @kernel by_group: by_group_0
// @kernel by_item: by_item_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static const int weights[3] = {10, 20, 30};

static inline void by_group_0_groups(const int *u, int *v, const int64_t *dims, int64_t begin, int64_t end) {
    int64_t group_x = begin % dims[0];
    int64_t group_y = begin / dims[0];
    for (int64_t group = begin; group < end; ++group) {
        const int b = group_x;
        const int k = group_y;
        ++group_x;
        if (group_x == dims[0]) {
            group_x = 0;
            ++group_y;
        }
        const int weight = weights[b];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 1; ++i) {
            v[k * 3 + b] = weight * u[k * 3 + b];
        }
    }
}

void by_group_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    by_group_0_groups(arguments[0], arguments[1], dims, begin, end);
}

static inline void by_item_0_groups(const int n, const int *u, int *v, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        const int weight = weights[i % 3];
        v[i] = weight * u[i];
    }
}

void by_item_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    by_item_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
