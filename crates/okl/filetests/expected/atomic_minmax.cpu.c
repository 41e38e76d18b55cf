// C11, made from OKL.
// @kernel extremes: extremes_0
// @kernel floats: floats_0
// @kernel through_function: through_function_0

#include <stdbool.h>
#include <stdint.h>

static inline int okl_atomic_add_i32(int *at, int value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline double okl_atomic_max_f64(double *at, double value) {
    double old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = value > old ? value : old;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int64_t okl_atomic_max_i64(int64_t *at, int64_t value) {
    int64_t old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = value > old ? value : old;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline float okl_atomic_min_f32(float *at, float value) {
    float old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = value < old ? value : old;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int okl_atomic_min_i32(int *at, int value) {
    int old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = value < old ? value : old;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void count(int *counts, int at) {
    okl_atomic_add_i32(&counts[at], 1);
}

static inline void extremes_0_groups(const int n, const int *x, int *lo, int64_t *hi, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_min_i32(&lo[0], x[i]);
        okl_atomic_max_i64(&hi[0], (int64_t)x[i]);
    }
}

void extremes_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    extremes_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void floats_0_groups(const int n, const float *x, float *lo, double *hi, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_min_f32(&lo[0], x[i]);
        okl_atomic_max_f64(&hi[0], (double)x[i]);
    }
}

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    floats_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void through_function_0_groups(const int n, const int *x, int *counts, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        count(counts, x[i]);
    }
}

void through_function_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    through_function_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
