// C11, made from OKL.
// @kernel steps: steps_0
// @kernel swap: swap_0
// @kernel late: late_0
// @kernel memories: memories_0

#include <stdbool.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
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

static inline void report_fault(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    uint32_t before;
    before = okl_atomic_exchange_u32(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = (uint32_t)index;
        faults[3] = (uint32_t)(index >> 32);
        faults[4] = (uint32_t)length;
        faults[5] = (uint32_t)(length >> 32);
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline int64_t index_or_zero(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint64_t)index < length) {
        return index;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return 0;
}

static inline bool is_in_range(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint64_t)index < length) {
        return true;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return false;
}

static inline double scaled(const double *x, int i) {
    return 3.0 * x[i];
}

static inline void add(double *to, const double *from, int i) {
    to[i] += scaled(from, i) - from[i];
}

static inline void steps_0_groups(const int n, const int shift, double *current, double *history, double *out, uint32_t *restrict faults, const int64_t current_length, const int64_t history_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int o_block = group * 2;
        const int64_t o_end = okl_min_i64(1, n);
        for (int o = o_block; o < o_end; ++o) {
            int64_t stage_offset[3];
            int stage_array[3];
            stage_array[0] = 0;
            stage_offset[0] = 0;
            for (int k = 0; k < 2; ++k) {
                stage_array[k + 1] = 1;
                stage_offset[k + 1] = (shift + k) % 3 * n;
            }
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += stage_array[k] == 0 ? current[index_or_zero(stage_offset[k] + o, current_length, 0, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[k] + o, history_length, 1, (int64_t)o_block / 2, (int64_t)o - o_block, faults)];
            }
            if (stage_array[1] == 0) {
                {
                    const int64_t at = stage_offset[1] + o;
                    if (is_in_range(at, current_length, 4, (int64_t)o_block / 2, (int64_t)o - o_block, faults)) {
                        current[at] = stage_array[0] == 0 ? current[index_or_zero(stage_offset[0] + o, current_length, 2, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[0] + o, history_length, 3, (int64_t)o_block / 2, (int64_t)o - o_block, faults)];
                    }
                }
            } else {
                {
                    const int64_t at = stage_offset[1] + o;
                    if (is_in_range(at, history_length, 5, (int64_t)o_block / 2, (int64_t)o - o_block, faults)) {
                        history[at] = stage_array[0] == 0 ? current[index_or_zero(stage_offset[0] + o, current_length, 2, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[0] + o, history_length, 3, (int64_t)o_block / 2, (int64_t)o - o_block, faults)];
                    }
                }
            }
            out[o] = sum + (stage_array[1] == 0 ? current[index_or_zero(stage_offset[1] + o, current_length, 6, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[1] + o, history_length, 7, (int64_t)o_block / 2, (int64_t)o - o_block, faults)]) + 2 * 0 + 9.0;
        }
        const int64_t o_end_1 = okl_min_i64(o_block + 2, n);
        for (int o = okl_max_i64(1, o_block); o < o_end_1; ++o) {
            int64_t stage_offset[3];
            int stage_array[3];
            stage_array[0] = 0;
            stage_offset[0] = 0;
            for (int k = 0; k < 2; ++k) {
                stage_array[k + 1] = 1;
                stage_offset[k + 1] = (shift + k) % 3 * n;
            }
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += stage_array[k] == 0 ? current[index_or_zero(stage_offset[k] + o, current_length, 0, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[k] + o, history_length, 1, (int64_t)o_block / 2, (int64_t)o - o_block, faults)];
            }
            if (stage_array[1] == 0) {
                {
                    const int64_t at = stage_offset[1] + o;
                    if (is_in_range(at, current_length, 4, (int64_t)o_block / 2, (int64_t)o - o_block, faults)) {
                        current[at] = stage_array[0] == 0 ? current[index_or_zero(stage_offset[0] + o, current_length, 2, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[0] + o, history_length, 3, (int64_t)o_block / 2, (int64_t)o - o_block, faults)];
                    }
                }
            } else {
                {
                    const int64_t at = stage_offset[1] + o;
                    if (is_in_range(at, history_length, 5, (int64_t)o_block / 2, (int64_t)o - o_block, faults)) {
                        history[at] = stage_array[0] == 0 ? current[index_or_zero(stage_offset[0] + o, current_length, 2, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[0] + o, history_length, 3, (int64_t)o_block / 2, (int64_t)o - o_block, faults)];
                    }
                }
            }
            out[o] = sum + (stage_array[1] == 0 ? current[index_or_zero(stage_offset[1] + o, current_length, 6, (int64_t)o_block / 2, (int64_t)o - o_block, faults)] : history[index_or_zero(stage_offset[1] + o, history_length, 7, (int64_t)o_block / 2, (int64_t)o - o_block, faults)]) + 2 * o + 9.0;
        }
    }
}

void steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    steps_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], *(const int64_t *)arguments[6], *(const int64_t *)arguments[7], begin, end);
}

static inline void swap_0_groups(const int n, double *a, double *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(1, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        int64_t from_offset;
        int from_array;
        from_array = 0;
        from_offset = 0;
        int64_t to_offset;
        int to_array;
        to_array = 1;
        to_offset = 0;
        if (i % 2 == 0) {
            const int other = from_array;
            const int64_t other_offset = from_offset;
            from_array = to_array;
            from_offset = to_offset;
            to_array = other;
            to_offset = other_offset;
        }
    }
    const int64_t i_end_1 = okl_min_i64(2, n);
    for (int i = okl_max_i64(1, begin * 2); i < i_end_1; ++i) {
        int64_t from_offset;
        int from_array;
        from_array = 0;
        from_offset = 0;
        int64_t to_offset;
        int to_array;
        to_array = 1;
        to_offset = 0;
        if (i % 2 == 0) {
            const int other = from_array;
            const int64_t other_offset = from_offset;
            from_array = to_array;
            from_offset = to_offset;
            to_array = other;
            to_offset = other_offset;
        }
        if (to_array == 0) {
            if (from_array == 0) {
                add(&a[to_offset], &a[from_offset], i);
            } else {
                add(&a[to_offset], &b[from_offset], i);
            }
        } else if (from_array == 0) {
            add(&b[to_offset], &a[from_offset], i);
        } else {
            add(&b[to_offset], &b[from_offset], i);
        }
    }
    if (begin * 2 <= 2 && 2 < end * 2 && 2 < n) {
        const int i = 2;
        int64_t from_offset;
        int from_array;
        from_array = 0;
        from_offset = 0;
        int64_t to_offset;
        int to_array;
        to_array = 1;
        to_offset = 0;
        if (i % 2 == 0) {
            const int other = from_array;
            const int64_t other_offset = from_offset;
            from_array = to_array;
            from_offset = to_offset;
            to_array = other;
            to_offset = other_offset;
        }
        if (to_array == 0) {
            if (from_array == 0) {
                add(&a[to_offset], &a[from_offset], i);
            } else {
                add(&a[to_offset], &b[from_offset], i);
            }
        } else if (from_array == 0) {
            add(&b[to_offset], &a[from_offset], i);
        } else {
            add(&b[to_offset], &b[from_offset], i);
        }
        if (to_array == 0) {
            a[to_offset + i] -= 1.0;
        } else {
            b[to_offset + i] -= 1.0;
        }
        if (to_array == 0) {
            a[to_offset + i] -= 3.0;
        } else {
            b[to_offset + i] -= 3.0;
        }
    }
    if (begin * 2 <= 3 && 3 < end * 2 && 3 < n) {
        const int i = 3;
        int64_t from_offset;
        int from_array;
        from_array = 0;
        from_offset = 0;
        int64_t to_offset;
        int to_array;
        to_array = 1;
        to_offset = 0;
        if (i % 2 == 0) {
            const int other = from_array;
            const int64_t other_offset = from_offset;
            from_array = to_array;
            from_offset = to_offset;
            to_array = other;
            to_offset = other_offset;
        }
        if (to_array == 0) {
            if (from_array == 0) {
                add(&a[to_offset], &a[from_offset], i);
            } else {
                add(&a[to_offset], &b[from_offset], i);
            }
        } else if (from_array == 0) {
            add(&b[to_offset], &a[from_offset], i);
        } else {
            add(&b[to_offset], &b[from_offset], i);
        }
        if (to_array == 0) {
            a[to_offset + i] += (to_array == 0 ? a[to_offset + i] : b[to_offset + i]) / 2.0;
        } else {
            b[to_offset + i] += (to_array == 0 ? a[to_offset + i] : b[to_offset + i]) / 2.0;
        }
    }
    const int64_t i_end_2 = okl_min_i64(end * 2, n);
    for (int i = okl_max_i64(4, begin * 2); i < i_end_2; ++i) {
        int64_t from_offset;
        int from_array;
        from_array = 0;
        from_offset = 0;
        int64_t to_offset;
        int to_array;
        to_array = 1;
        to_offset = 0;
        if (i % 2 == 0) {
            const int other = from_array;
            const int64_t other_offset = from_offset;
            from_array = to_array;
            from_offset = to_offset;
            to_array = other;
            to_offset = other_offset;
        }
        if (to_array == 0) {
            if (from_array == 0) {
                add(&a[to_offset], &a[from_offset], i);
            } else {
                add(&a[to_offset], &b[from_offset], i);
            }
        } else if (from_array == 0) {
            add(&b[to_offset], &a[from_offset], i);
        } else {
            add(&b[to_offset], &b[from_offset], i);
        }
    }
}

void swap_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    swap_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void late_0_groups(const int n, const double *a, const double *b, double *out, uint32_t *restrict faults, const int64_t a_length, const int64_t b_length, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int t = 0; t < 1; ++t) {
            int64_t p_offset;
            int p_array;
            p_array = 0;
            p_offset = 0;
            for (int i = 0; i < n; ++i) {
                out[i] = p_array == 0 ? a[index_or_zero(p_offset + i, a_length, 8, o, t, faults)] : b[index_or_zero(p_offset + i, b_length, 9, o, t, faults)];
                p_array = i % 2 == 0 ? 1 : 0;
                p_offset = 0;
            }
        }
    }
}

void late_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    late_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], *(const int64_t *)arguments[5], *(const int64_t *)arguments[6], begin, end);
}

static inline void memories_0_groups(const double *a, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            s[i] = 10.0 + a[i];
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            out[i] = (i % 2 == 0 ? 0 : 1) == 0 ? s[i] : a[i];
        }
    }
}

void memories_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    memories_0_groups(arguments[0], arguments[1], begin, end);
}
