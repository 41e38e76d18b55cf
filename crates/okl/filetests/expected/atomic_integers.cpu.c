// C11, made from OKL.
// @kernel forms: forms_0
// @kernel histogram: histogram_0
// @kernel unsigned_long: unsigned_long_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline int okl_atomic_add_i32(int *at, int value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline uint64_t okl_atomic_add_u64(uint64_t *at, uint64_t value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline int okl_atomic_and_i32(int *at, int value) {
    return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}

static inline int okl_atomic_exchange_i32(int *at, int value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

static inline int okl_atomic_mul_i32(int *at, int value) {
    int old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old * value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int okl_atomic_or_i32(int *at, int value) {
    return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}

static inline int okl_atomic_sub_i32(int *at, int value) {
    return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}

static inline int okl_atomic_xor_i32(int *at, int value) {
    return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void forms_0_groups(const int n, int *a, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_add_i32(&a[0], 1);
        okl_atomic_sub_i32(&a[1], 2);
        okl_atomic_add_i32(&a[2], 1);
        okl_atomic_sub_i32(&a[3], 1);
        okl_atomic_mul_i32(&a[4], 2);
        okl_atomic_and_i32(&a[5], ~(1 << i));
        okl_atomic_or_i32(&a[6], 1 << i);
        okl_atomic_xor_i32(&a[7], 1 << i);
        okl_atomic_exchange_i32(&a[8], 5);
    }
}

void forms_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    forms_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void histogram_0_groups(const int n, const int *x, int *bins, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int local_bins[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            local_bins[i] = 0;
        }
        const int64_t i_end = okl_min_i64(5, n - (int64_t)o * 5);
        for (int i = 0; i < i_end; ++i) {
            okl_atomic_add_i32(&local_bins[x[5 * o + i]], 1);
        }
        for (int i = 0; i < 4; ++i) {
            okl_atomic_add_i32(&bins[i], local_bins[i]);
        }
    }
}

void histogram_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    histogram_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void unsigned_long_0_groups(const int n, uint64_t *a, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        okl_atomic_add_u64(&a[0], 1);
    }
}

void unsigned_long_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    unsigned_long_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
