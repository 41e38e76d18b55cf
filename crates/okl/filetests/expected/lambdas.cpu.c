// C11, made from OKL.
// @kernel lambdas: lambdas_0
// @kernel when: when_0
// @kernel nested: nested_0
// @kernel shared_memory: shared_memory_0
// @kernel deep: deep_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline double at(int j, const double *x) {
    return x[j];
}

static inline double scaled(double v, double a) {
    return a * v;
}

static inline double clamp(double v, double low) {
    if (v < low) {
        return low;
    }
    return v;
}

static inline double plus(double a, double b) {
    return a + b;
}

static inline int clamp_1(int v, int low) {
    if (v < low) {
        return low;
    }
    return v;
}

static inline double limit(int v) {
    return v / 2.0;
}

static inline void store(double v, double *y, int i) {
    y[i] = v;
}

static inline int then(int v, int k) {
    return v + k;
}

static inline int now(int v, int k) {
    return v + k;
}

static inline int base(int k, int i) {
    return k + i;
}

static inline float then_1(int k, int base_i) {
    const float values[3] = {1.0f, 2.0f, 3.0f};
    return values[k] * base(k, base_i) + 0.5f;
}

static inline float twice(int k, float x) {
    const float sum = x;
    return sum * k;
}

static inline float doubled(float x) {
    return twice(2, x);
}

static inline int twice_1(int k, int x) {
    const int sum = x;
    return sum * k;
}

static inline int doubled_1(int x) {
    return twice_1(2, x);
}

static inline void put(double v, double *s, int i) {
    s[i] = v;
}

static inline double mirrored(double *s, int i) {
    return s[3 - i];
}

static inline int up(int v) {
    return v + 1;
}

static inline void lambdas_0_groups(const int n, const double a, const double *x, double *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 2; i < i_end; ++i) {
        store(plus(scaled(at(i, x), a), clamp(at(i, x) * at(i, x), 4.0)) + clamp_1(i, 1) + limit(12), y, i);
    }
}

void lambdas_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    lambdas_0_groups(*(const int *)arguments[0], *(const double *)arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void when_0_groups(const int n, int *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        int k = i + 1;
        const int k_1 = k;
        k = i + 11;
        y[2 * i] = then(10, k_1);
        y[2 * i + 1] = now(10, k);
    }
}

void when_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    when_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void nested_0_groups(const int n, float *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        y[i] = then_1(2, i) + doubled(1.5f) + doubled_1(i);
    }
}

void nested_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    nested_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void shared_memory_0_groups(const double *x, double *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[4];
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            put(x[4 * o + i], s, i);
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            y[4 * o + i] = mirrored(s, i);
        }
    }
}

void shared_memory_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    shared_memory_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void deep_0_groups(const int n, int *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        y[i] = up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(i))))))))))))))))))))))))))))))))))))))))))));
    }
}

void deep_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    deep_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
