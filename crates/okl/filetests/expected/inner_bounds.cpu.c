// C11, made from OKL.
// @kernel runtime: runtime_0
// @kernel folded: folded_0
// @kernel offset: offset_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_GROUPS: a loop over groups, of which clang makes no vectors.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_GROUPS _Pragma("clang loop vectorize(disable)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_GROUPS
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_GROUPS
#endif

static inline void runtime_0_groups(const int items, int *out, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    const int64_t items_1 = dims[3] * dims[4] * dims[5];
    int *restrict mine = (int *)scratch;
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT
        for (int i = 0; i < items; ++i) {
            mine[i] = 10 * o + i;
        }
        OKL_INDEPENDENT
        for (int64_t i = 0; i < items; ++i) {
            out[o * items + i] = mine[i];
        }
    }
}

void runtime_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    runtime_0_groups(*(const int *)arguments[0], arguments[1], dims, begin, end, scratch);
}

static inline void folded_0_groups(int *out, int64_t begin, int64_t end) {
    OKL_GROUPS
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 3; ++i) {
            out[o * 3 + i] = 10 * o + i;
        }
    }
}

void folded_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    folded_0_groups(arguments[0], begin, end);
}

static inline void offset_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        const int i_start = 4 * o;
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            out[i] = i;
        }
    }
}

void offset_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    offset_0_groups(arguments[0], begin, end);
}
