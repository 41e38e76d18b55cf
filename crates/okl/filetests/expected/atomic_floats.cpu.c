// C11, made from OKL.
// @kernel sum: sum_0
// @kernel sum_single: sum_single_0
// @kernel product: product_0
// @kernel quotient: quotient_0

#include <stdbool.h>
#include <stdint.h>

static inline double okl_atomic_add_f64(double *at, double value) {
    double old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old + value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline float okl_atomic_div_f32(float *at, float value) {
    float old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old / value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline double okl_atomic_mul_f64(double *at, double value) {
    double old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old * value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline float okl_atomic_sub_f32(float *at, float value) {
    float old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old - value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void sum_0_groups(const int n, const double *x, double *total, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_add_f64(&total[0], x[i]);
    }
}

void sum_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sum_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void sum_single_0_groups(const int n, const float *x, float *total, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_sub_f32(&total[0], x[i]);
    }
}

void sum_single_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sum_single_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void product_0_groups(const int n, double *total, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_mul_f64(&total[0], 2.0);
    }
}

void product_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    product_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void quotient_0_groups(const int n, float *total, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_div_f32(&total[0], 2.0f);
    }
}

void quotient_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    quotient_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
