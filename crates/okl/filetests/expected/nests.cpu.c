// C11, made from OKL.
// @kernel chain: chain_0, chain_1, chain_2
// @kernel sweep: sweep_0
// @kernel shrink: shrink_0

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

static inline void chain_0_groups(int *x, const int bound, const int shift, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] = i + shift;
    }
}

void chain_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    chain_0_groups(arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], begin, end);
}

static inline void chain_1_groups(int *x, const int bound, const int shift, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] += shift;
    }
}

void chain_1(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    chain_1_groups(arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], begin, end);
}

static inline void chain_2_groups(int *x, const int bound, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] *= 2;
    }
}

void chain_2(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    chain_2_groups(arguments[0], *(const int *)arguments[1], begin, end);
}

static inline void sweep_0_groups(int *x, const int weight, const int column, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = column; i < column + 1; ++i) {
            x[i] += weight;
        }
    }
}

void sweep_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sweep_0_groups(arguments[0], *(const int *)arguments[1], *(const int *)arguments[2], begin, end);
}

static inline void shrink_0_groups(int *x, const int m, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, m);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        ++x[i];
    }
}

void shrink_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    shrink_0_groups(arguments[0], *(const int *)arguments[1], begin, end);
}
