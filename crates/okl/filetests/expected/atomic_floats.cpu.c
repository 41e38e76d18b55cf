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

void sum_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    const double *x = arguments[1];
    double *total = arguments[2];
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_add_f64(&total[0], x[i]);
    }
}

void sum_single_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    const float *x = arguments[1];
    float *total = arguments[2];
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_sub_f32(&total[0], x[i]);
    }
}

void product_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    double *total = arguments[1];
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_mul_f64(&total[0], 2.0);
    }
}

void quotient_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const int n = *(const int *)arguments[0];
    float *total = arguments[1];
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_div_f32(&total[0], 2.0f);
    }
}
