// C11, made from OKL.
// @kernel loaded: loaded_0
// @kernel unsigned_loaded: unsigned_loaded_0
// @kernel wide: wide_0
// @kernel unsigned_wide: unsigned_wide_0
// @kernel narrow: narrow_0
// @kernel updates: updates_0
// @kernel atomics: atomics_0
// @kernel by_function: by_function_0
// @kernel guarded: guarded_0
// @kernel by_group: by_group_0
// @kernel proven: proven_0

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

static inline int okl_atomic_div_i32(int *at, int value) {
    int old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old / value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline uint32_t okl_atomic_div_u32(uint32_t *at, uint32_t value) {
    uint32_t old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old / value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
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

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int okl_update_div_i32(int *at, int value) {
    const int old = *at;
    *at = old / value;
    return old;
}

static inline uint32_t okl_update_div_u32(uint32_t *at, uint32_t value) {
    const uint32_t old = *at;
    *at = old / value;
    return old;
}

static inline int okl_update_mul_i32(int *at, int value) {
    const int old = *at;
    *at = old * value;
    return old;
}

static inline void report_division(uint32_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    uint32_t before;
    before = okl_atomic_exchange_u32(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = divisor;
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline bool is_divisor(bool is_zero, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if (!is_zero) {
        return true;
    }
    report_division(0, place, group_x, item_x, faults);
    return false;
}

static inline int quotient_int(int dividend, int divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint32_t)divisor + 1 > 1) {
        return dividend / divisor;
    }
    if (divisor != 0 && dividend != INT32_MIN) {
        return -dividend;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static inline int64_t quotient_long(int64_t dividend, int64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint64_t)divisor + 1 > 1) {
        return dividend / divisor;
    }
    if (divisor != 0 && dividend != INT64_MIN) {
        return -dividend;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static inline uint32_t quotient_unsigned_int(uint32_t dividend, uint32_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if (divisor != 0) {
        return dividend / divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static inline uint64_t quotient_unsigned_long(uint64_t dividend, uint64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if (divisor != 0) {
        return dividend / divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static inline int remainder_int(int dividend, int divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint32_t)divisor + 1 > 1) {
        return dividend % divisor;
    }
    if (divisor != 0 && dividend != INT32_MIN) {
        return 0;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static inline int64_t remainder_long(int64_t dividend, int64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint64_t)divisor + 1 > 1) {
        return dividend % divisor;
    }
    if (divisor != 0 && dividend != INT64_MIN) {
        return 0;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static inline uint32_t remainder_unsigned_int(uint32_t dividend, uint32_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if (divisor != 0) {
        return dividend % divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static inline uint64_t remainder_unsigned_long(uint64_t dividend, uint64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if (divisor != 0) {
        return dividend % divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static inline int share(int a, int b, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    return quotient_int(a, b, 0, group_x, item_x, faults);
}

static inline int share_of(const int *a, const int *b, int k, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    return (uint32_t)share(a[k], b[k], group_x, item_x, faults) + (b[k] > 2 ? 2 : 1);
}

static inline void loaded_0_groups(const int *a, const int *b, int *q, int *r, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 3; ++i) {
            q[i] = quotient_int(a[i], b[i], 1, (int64_t)i_block / 4, i - i_block, faults);
            r[i] = remainder_int(a[i], b[i], 2, (int64_t)i_block / 4, i - i_block, faults);
        }
    }
}

void loaded_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    loaded_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], begin, end);
}

static inline void unsigned_loaded_0_groups(const uint32_t *a, const uint32_t *b, uint32_t *q, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            q[i] = quotient_unsigned_int(a[i], b[i], 3, (int64_t)i_block / 4, i - i_block, faults) * 10 + remainder_unsigned_int(a[i], b[i], 4, (int64_t)i_block / 4, i - i_block, faults);
        }
    }
}

void unsigned_loaded_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    unsigned_loaded_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void wide_0_groups(const int64_t *a, const int64_t *b, int64_t *q, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            q[i] = (uint64_t)quotient_long(a[i], b[i], 5, (int64_t)i_block / 4, i - i_block, faults) * (b[i] > 0 ? 11 : 1) + remainder_long(a[i], b[i], 6, (int64_t)i_block / 4, i - i_block, faults);
        }
    }
}

void wide_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    wide_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void unsigned_wide_0_groups(const uint64_t *a, const uint64_t *b, uint64_t *q, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            q[i] = quotient_unsigned_long(a[i], b[i], 7, (int64_t)i_block / 4, i - i_block, faults) * 10 + remainder_unsigned_long(a[i], b[i], 8, (int64_t)i_block / 4, i - i_block, faults);
        }
    }
}

void unsigned_wide_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    unsigned_wide_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void narrow_0_groups(const int16_t *a, const int16_t *b, int *q, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            q[i] = quotient_int(a[i], b[i], 9, (int64_t)i_block / 4, i - i_block, faults) * (b[i] > 0 ? 10 : 1) + remainder_int(a[i], b[i], 10, (int64_t)i_block / 4, i - i_block, faults);
        }
    }
}

void narrow_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    narrow_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void updates_0_groups(const int *b, int *q, int *s, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            q[i] = quotient_int(q[i], b[i], 11, (int64_t)i_block / 4, i - i_block, faults);
            int r = s[i];
            r = remainder_int(r, b[i], 12, (int64_t)i_block / 4, i - i_block, faults);
            s[i] = r;
        }
    }
}

void updates_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    updates_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void atomics_0_groups(const int *b, int *q, uint32_t *u, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            {
                const int by = b[i];
                if (is_divisor(by == 0, 13, (int64_t)i_block / 4, i - i_block, faults)) {
                    if (by == -1) {
                        int before;
                        before = okl_atomic_mul_i32(&q[i], by);
                        if (before == INT32_MIN) {
                            report_division(4294967295u, 13, (int64_t)i_block / 4, i - i_block, faults);
                        }
                    } else {
                        okl_atomic_div_i32(&q[i], by);
                    }
                }
            }
            {
                const uint32_t by = (uint32_t)b[i];
                if (is_divisor(by == 0, 14, (int64_t)i_block / 4, i - i_block, faults)) {
                    okl_atomic_div_u32(&u[i], by);
                }
            }
        }
    }
}

void atomics_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    atomics_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void atomics_0_alone_groups(const int *b, int *q, uint32_t *u, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 2; ++i) {
            {
                const int by = b[i];
                if (is_divisor(by == 0, 13, (int64_t)i_block / 4, i - i_block, faults)) {
                    if (by == -1) {
                        int before;
                        before = okl_update_mul_i32(&q[i], by);
                        if (before == INT32_MIN) {
                            report_division(4294967295u, 13, (int64_t)i_block / 4, i - i_block, faults);
                        }
                    } else {
                        okl_update_div_i32(&q[i], by);
                    }
                }
            }
            {
                const uint32_t by = (uint32_t)b[i];
                if (is_divisor(by == 0, 14, (int64_t)i_block / 4, i - i_block, faults)) {
                    okl_update_div_u32(&u[i], by);
                }
            }
        }
    }
}

void atomics_0_alone(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    atomics_0_alone_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void by_function_0_groups(const int *a, const int *b, int *q, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int i = i_block; i < 2; ++i) {
            q[i] = share_of(a, b, i, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
        }
    }
}

void by_function_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    by_function_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void guarded_0_groups(const int *a, const int *b, int *q, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int64_t i = i_block; i < 3; ++i) {
            const uint32_t by = b[i];
            const int once = by ? a[i] / by : 0u;
            const int twice = b[i] != 0 && quotient_int(a[i], b[i], 15, (int64_t)i_block / 4, i - i_block, faults) == 3;
            q[i] = (uint32_t)once * twice;
        }
    }
}

void guarded_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    guarded_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void by_group_0_groups(const int n, const int m, int *q, const int start, int64_t begin, int64_t end) {
    for (int g = start + begin; g < start + end; ++g) {
        const int i_start = g % n;
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 2; ++i) {
            q[(g - m / n) * 2 + i - g % n] = (g - m / n) * 2 + i - g % n;
        }
    }
}

void by_group_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    by_group_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], *(const int *)arguments[3], begin, end);
}

static inline void proven_0_groups(const int n, const int m, const int *u, int *q, int64_t begin, int64_t end) {
    if (n != 0) {
        const int64_t i_end = okl_min_i64(end * 4, n * m);
        OKL_INDEPENDENT
        for (int i = begin * 4; i < i_end; ++i) {
            int sum = (uint32_t)u[i % n] + i / m - (i + 7) / (m - i % m);
            for (int s = m; s > 0; s /= 2) {
                sum = (uint32_t)sum + i % s;
            }
            sum = (uint32_t)sum + (i + m) / n % 2;
            q[i] = sum;
        }
    } else {
        const int64_t i_end = okl_min_i64(end * 4, n * m);
        OKL_INDEPENDENT
        for (int i = begin * 4; i < i_end; ++i) {
            int sum = (uint32_t)u[i % n] + i / m - (i + 7) / (m - i % m);
            for (int s = m; s > 0; s /= 2) {
                sum = (uint32_t)sum + i % s;
            }
            q[i] = sum;
        }
    }
}

void proven_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    proven_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], begin, end);
}
