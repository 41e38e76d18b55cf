// C11, made from OKL.
// @kernel far: far_0
// @kernel rows: rows_0
// @kernel elements: elements_0
// @kernel gathered: gathered_0
// @kernel asks_itself: asks_itself_0

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

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void report_fault_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    uint32_t before;
    before = okl_atomic_exchange_u32(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = (uint32_t)index;
        faults[3] = (uint32_t)(index >> 31);
        faults[4] = length;
        faults[5] = 0;
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline int index_or_zero_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint32_t)index < length) {
        return index;
    }
    report_fault_int(index, length, place, group_x, item_x, faults);
    return 0;
}

static inline bool is_in_range_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint32_t)index < length) {
        return true;
    }
    report_fault_int(index, length, place, group_x, item_x, faults);
    return false;
}

static inline void far_0_groups(const int rows, const double *restrict x, double *restrict sums, int64_t begin, int64_t end) {
    for (int group = begin; group < end; ++group) {
        _Alignas(64) double part[256];
        _Alignas(64) double sum[256];
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 256; ++t) {
            sum[t] = 0.0;
        }
        int64_t k = 0;
        for (; k < rows && k >= 0 && 1 <= (rows - k - 1) / 3; k += 4) {
            if (rows > 16) {
                for (int64_t line = 0; line < 256; line += 8) {
                    __builtin_prefetch(&x[k * 65536 + 262144 + line], 0, 2);
                    __builtin_prefetch(&x[k * 65536 + 327680 + line], 0, 2);
                    __builtin_prefetch(&x[k * 65536 + 393216 + line], 0, 2);
                    __builtin_prefetch(&x[k * 65536 + 458752 + line], 0, 2);
                }
            }
            const int64_t k_1 = k;
            OKL_INDEPENDENT
            for (int64_t t = 0; t < 256; ++t) {
                sum[t] += x[k_1 * 65536 + t];
                const int64_t k_2 = k + 1;
                sum[t] += x[k_2 * 65536 + t];
                const int64_t k_3 = k + 2;
                sum[t] += x[k_3 * 65536 + t];
                const int64_t k_4 = k + 3;
                sum[t] += x[k_4 * 65536 + t];
            }
        }
        for (; k < rows; ++k) {
            if (rows > 16) {
                for (int64_t line = 0; line < 256; line += 16) {
                    __builtin_prefetch(&x[k * 65536 + 131072 + line], 0, 2);
                    __builtin_prefetch(&x[k * 65536 + 131072 + line + 8], 0, 2);
                    OKL_INDEPENDENT_SHORT
                    for (int64_t t = line; t < line + 16; ++t) {
                        sum[t] += x[k * 65536 + t];
                    }
                }
            } else {
                OKL_INDEPENDENT
                for (int64_t t = 0; t < 256; ++t) {
                    sum[t] += x[k * 65536 + t];
                }
            }
        }
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 256; ++t) {
            part[t] = sum[t];
        }
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 256; ++t) {
            sums[t] = part[t];
        }
    }
}

void far_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    far_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void rows_0_groups(const int n, const int groups, const double *restrict x, double *restrict sums, int64_t begin, int64_t end) {
    for (int group = begin; group < end; ++group) {
        _Alignas(64) double part[64];
        _Alignas(64) double sum[64];
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 64; ++t) {
            sum[t] = 0.0;
        }
        int64_t i_first = (int)((int64_t)group * 64);
        for (; i_first < n && i_first >= 0 && groups * 64 > 0 && groups * 64 <= (n - i_first - 64) / 3; i_first += 4 * (groups * 64)) {
            if (n > 1048576) {
                for (int64_t line = 0; line < 64; line += 16) {
                    __builtin_prefetch(&x[i_first + (int64_t)groups * 512 + line], 0, 2);
                    __builtin_prefetch(&x[(int64_t)groups * 576 + i_first + line], 0, 2);
                    __builtin_prefetch(&x[(int64_t)groups * 640 + i_first + line], 0, 2);
                    __builtin_prefetch(&x[(int64_t)groups * 704 + i_first + line], 0, 2);
                    __builtin_prefetch(&x[i_first + (int64_t)groups * 512 + line + 8], 0, 2);
                    __builtin_prefetch(&x[(int64_t)groups * 576 + i_first + line + 8], 0, 2);
                    __builtin_prefetch(&x[(int64_t)groups * 640 + i_first + line + 8], 0, 2);
                    __builtin_prefetch(&x[(int64_t)groups * 704 + i_first + line + 8], 0, 2);
                    OKL_INDEPENDENT_SHORT
                    for (int64_t t = line; t < line + 16; ++t) {
                        const int64_t i = i_first + t;
                        sum[t] += x[i];
                        const int64_t i_1 = i_first + t + groups * 64;
                        sum[t] += x[i_1];
                        const int64_t i_2 = i_first + t + 2 * (groups * 64);
                        sum[t] += x[i_2];
                        const int64_t i_3 = i_first + t + 3 * (groups * 64);
                        sum[t] += x[i_3];
                    }
                }
            } else {
                OKL_INDEPENDENT
                for (int64_t t = 0; t < 64; ++t) {
                    const int64_t i = i_first + t;
                    sum[t] += x[i];
                    const int64_t i_1 = i_first + t + groups * 64;
                    sum[t] += x[i_1];
                    const int64_t i_2 = i_first + t + 2 * (groups * 64);
                    sum[t] += x[i_2];
                    const int64_t i_3 = i_first + t + 3 * (groups * 64);
                    sum[t] += x[i_3];
                }
            }
        }
        for (; i_first < n; i_first += groups * 64) {
            const int64_t t_end = okl_min_i64(64, n - i_first);
            OKL_INDEPENDENT_SHORT
            for (int64_t t = 0; t < t_end; ++t) {
                const int64_t i = i_first + t;
                sum[t] += x[i];
            }
        }
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 64; ++t) {
            part[t] = sum[t];
        }
        {
            double sum_1 = 0.0;
            for (int64_t k = 0; k < 64; ++k) {
                sum_1 += part[k];
            }
            sums[group] = sum_1;
        }
    }
}

void rows_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rows_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void elements_0_groups(const double *restrict D, const double *restrict q, double *restrict a, const int64_t *dims, int64_t begin, int64_t end) {
    for (int e = begin; e < end; ++e) {
        if (dims[0] > 32768) {
            __builtin_prefetch(&q[(int64_t)e * 32 + 512], 0, 3);
            __builtin_prefetch(&q[(int64_t)e * 32 + 512 + 8], 0, 3);
            __builtin_prefetch(&q[(int64_t)e * 32 + 512 + 16], 0, 3);
            __builtin_prefetch(&q[(int64_t)e * 32 + 512 + 24], 0, 3);
        }
        _Alignas(64) double s_q[32];
        OKL_INDEPENDENT
        for (int64_t i = 0; i < 32; ++i) {
            s_q[i] = q[e * 32 + i];
        }
        OKL_INDEPENDENT
        for (int64_t i = 0; i < 32; ++i) {
            a[e * 32 + i] = D[i] * s_q[i] + s_q[31 - i];
        }
    }
}

void elements_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    elements_0_groups(arguments[0], arguments[1], arguments[2], dims, begin, end);
}

static inline void gathered_0_groups(const int *restrict at, const double *restrict q, double *restrict a, uint32_t *restrict faults, const uint32_t q_length, int64_t begin, int64_t end) {
    for (int e = begin; e < end; ++e) {
        _Alignas(64) double s_q[32];
        for (int i = 0; i < 32; ++i) {
            s_q[i] = q[index_or_zero_int((uint32_t)at[e] * 32 + i, q_length, 0, e, i, faults)];
        }
        OKL_INDEPENDENT
        for (int64_t i = 0; i < 32; ++i) {
            a[e * 32 + i] = s_q[31 - i];
        }
    }
}

void gathered_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    gathered_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], *(const uint32_t *)arguments[4], begin, end);
}

static inline void asks_itself_0_groups(const double *restrict q, double *restrict a, int64_t begin, int64_t end) {
    for (int e = begin; e < end; ++e) {
        _Alignas(64) double s_q[32];
        OKL_INDEPENDENT
        for (int i = 0; i < 32; ++i) {
            __builtin_prefetch(&q[e * 32 + i + 64], 0, 3);
            s_q[i] = q[e * 32 + i];
        }
        OKL_INDEPENDENT
        for (int64_t i = 0; i < 32; ++i) {
            a[e * 32 + i] = s_q[31 - i];
        }
    }
}

void asks_itself_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    asks_itself_0_groups(arguments[0], arguments[1], begin, end);
}
