// C11, made from OKL.
// @kernel counts: counts_0
// @kernel sums: sums_0

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

static inline int okl_atomic_add_i32(int *at, int value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline uint64_t okl_atomic_or_u64(uint64_t *at, uint64_t value) {
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}

static inline float okl_atomic_sub_f32(float *at, float value) {
    float old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old - value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline uint64_t okl_atomic_sub_u64(uint64_t *at, uint64_t value) {
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}

static inline uint64_t okl_atomic_xor_u64(uint64_t *at, uint64_t value) {
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void counts_0_groups(const int n, const int *a, int *bins, uint64_t *wide, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int i = begin * 64; i < i_end; ++i) {
        okl_atomic_add_i32(&bins[a[i]], 1);
        okl_atomic_add_i32(&bins[0], 1);
        okl_atomic_or_u64(&wide[a[i] & 7], 1ull << (i & 31));
        okl_atomic_xor_u64(&wide[8], i);
        okl_atomic_sub_u64(&wide[9], 2);
    }
}

void counts_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    counts_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void sums_0_groups(const int n, const double *a, double *sum, float *single, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int i = begin * 64; i < i_end; ++i) {
        okl_atomic_add_f64(&sum[0], a[i]);
        okl_atomic_sub_f32(&single[1], a[i]);
    }
}

void sums_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sums_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
