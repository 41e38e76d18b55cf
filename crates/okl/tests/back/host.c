// C11, made from OKL.
// @kernel several: several_0, several_1
// @kernel sized: sized_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void several_0_groups(const int n, const int tile, const double *u, double *v, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * tile, n);
    OKL_INDEPENDENT
    for (int i = begin * tile; i < i_end; ++i) {
        v[i] = u[i];
    }
}

void several_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    several_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void several_1_groups(const int n, double *v, const int half, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(half + end * 16, n);
    OKL_INDEPENDENT
    for (int i = half + begin * 16; i < i_end; ++i) {
        v[i] += half;
    }
}

void several_1(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    several_1_groups(*(const int *)arguments[0], arguments[1], *(const int *)arguments[2], begin, end);
}

static inline void sized_0_groups(const int tile, const double *u, double *v, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    const int64_t items = dims[3] * dims[4] * dims[5];
    double *restrict here = (double *)scratch;
    int *restrict twice = (int *)((char *)scratch + 8 * items);
    for (int b = begin; b < end; ++b) {
        OKL_INDEPENDENT
        for (int t = 0; t < tile; ++t) {
            here[t] = u[b * tile + t];
            twice[t] = t;
            twice[items + t] = b;
        }
        OKL_INDEPENDENT
        for (int t = 0; t < tile; ++t) {
            v[b * tile + t] = here[t] + twice[t] * twice[items + t];
        }
    }
}

void sized_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    sized_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], dims, begin, end, scratch);
}
