// C11, made from OKL.
// @kernel chain: chain_0, chain_1, chain_2
// @kernel sweep: sweep_0
// @kernel shrink: shrink_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the turns of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred turns at most.
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

void chain_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *x = arguments[0];
    const int bound = *(const int *)arguments[1];
    const int shift = *(const int *)arguments[2];
    const int64_t i_end = okl_min_i64(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] = i + shift;
    }
}

void chain_1(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *x = arguments[0];
    const int bound = *(const int *)arguments[1];
    const int shift = *(const int *)arguments[2];
    const int64_t i_end = okl_min_i64(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] += shift;
    }
}

void chain_2(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *x = arguments[0];
    const int bound = *(const int *)arguments[1];
    const int64_t i_end = okl_min_i64(end * 4, bound);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        x[i] *= 2;
    }
}

void sweep_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *x = arguments[0];
    const int weight = *(const int *)arguments[1];
    const int column = *(const int *)arguments[2];
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = column; i < column + 1; ++i) {
            x[i] += weight;
        }
    }
}

void shrink_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *x = arguments[0];
    const int m = *(const int *)arguments[1];
    const int64_t i_end = okl_min_i64(end * 2, m);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        ++x[i];
    }
}
