// C11, made from OKL.
// @kernel chosen: chosen_0
// @kernel references: references_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_GUARDED
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int of(int x) {
    return 1;
}

static inline int of_1(float x) {
    return 2;
}

static inline int of_2(double x, int y) {
    return y;
}

static inline int first(const float *x) {
    return 100 + (int)x[1] * 2;
}

static inline int first_1(const int *x) {
    return 200 + x[1];
}

static inline int depth(int x, int y) {
    return x + y;
}

static inline int depth_1(int x) {
    return depth(x, 4);
}

static inline void set(int *y, int v) {
    y[0] = v;
}

static inline void set_1(int *y, int v, int w) {
    set(y, v * w);
}

static inline void twice(int *x) {
    x[0] *= 2;
}

static inline void twice_1(float *x) {
    x[0] *= 3.0f;
}

static inline void next(int *x) {
    ++x[0];
}

static inline void chosen_0_groups(const int n, const float *x, const int *k, int *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 2; i < i_end; ++i) {
        y[0] = of(1);
        y[1] = of_1(x[0]);
        y[2] = of_2(1.0, 3);
        y[3] = first(x);
        y[4] = first_1(k);
        y[5] = depth_1(3);
        set_1(&y[6], 3, 4);
    }
}

void chosen_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    chosen_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void references_0_groups(const int n, int *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        int k = 5;
        float f = 2.0f;
        twice(&k);
        twice_1(&f);
        next(&k);
        next(&y[i]);
        y[i] += k + (int)f;
    }
}

void references_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    references_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
