// C11, made from OKL.
// @kernel guards: guards_0
// @kernel effects: effects_0
// @kernel choose: choose_0

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

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
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

static inline int bump(int *x, int by) {
    x[0] = (uint32_t)x[0] + by;
    return x[0];
}

static inline void guards_0_groups(const int n, const int *x, int *out, uint32_t *restrict faults, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        const int64_t i_end = okl_min_i64(2, (int64_t)n - 1);
        OKL_INDEPENDENT_SHORT
        for (int64_t i = i_block; i < i_end; ++i) {
            const int next = x[i + 1];
            if (next != 0 && 100 / next > 0) {
                out[i] = next;
            }
        }
        if (2 < (int64_t)n - 1) {
            const int64_t i = 2;
            const int next = x[i + 1];
            if (next != 0 && 100 / next > 0) {
                out[i] = quotient_int(100, next, 0, (int64_t)i_block / 4, i - i_block, faults);
            }
        }
        const int64_t i_end_1 = okl_min_i64(i_block + 4, (int64_t)n - 1);
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 3; i < i_end_1; ++i) {
            const int next = x[i + 1];
            if (next != 0 && 100 / next > 0) {
                out[i] = next;
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = okl_min_i64(okl_max_i64(i_block, (int64_t)n - 1), 2); i < 2; ++i) {
            const int next = 0;
            if (next != 0 && 100 / next > 0) {
                out[i] = next;
            }
        }
        if ((int64_t)n - 1 <= 2) {
            const int64_t i = 2;
            const int next = 0;
            if (next != 0 && 100 / next > 0) {
                out[i] = quotient_int(100, next, 0, (int64_t)i_block / 4, i - i_block, faults);
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = okl_min_i64(okl_max_i64(3, (int64_t)n - 1), i_block + 4); i < i_block + 4; ++i) {
            const int next = 0;
            if (next != 0 && 100 / next > 0) {
                out[i] = next;
            }
        }
    }
}

void guards_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    guards_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void effects_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int64_t k = 0; k < 1; ++k) {
            int b = 0;
            bool holds = false;
            if (holds) {
                int result;
                result = bump(&b, 1);
                holds = result != 0;
            }
            if (holds) {
                b = 100;
            }
            out[0] = b;
            bool holds_1 = true;
            if (!holds_1) {
                int result;
                result = bump(&b, 50);
                holds_1 = result != 0;
            }
            if (holds_1) {
                b = (uint32_t)b + 1;
            }
            out[1] = b;
            int chosen;
            int result;
            result = bump(&b, 1);
            chosen = result;
            out[2] = chosen;
            const int before = b;
            b = (uint32_t)b + 1;
            out[3] = before > 1 && b == 3;
            out[4] = b;
            int c;
            c = (uint32_t)b * 2;
            out[5] = c > 5 ? (int)((uint32_t)c + c) : 0;
        }
    }
}

void effects_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    effects_0_groups(arguments[0], begin, end);
}

static inline void choose_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    if (begin * 4 <= 0 && 0 < n) {
        const int64_t i = 0;
        out[i] = 10;
    }
    if (begin * 4 <= 1 && 1 < n) {
        const int64_t i = 1;
        out[i] = 20;
    }
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int64_t i = okl_max_i64(2, begin * 4); i < i_end; ++i) {
        out[i] = 30;
    }
}

void choose_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    choose_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
