// C11, made from OKL.
// @kernel gather: gather_0

#include <stdbool.h>
#include <stdint.h>

// OKL_WRITTEN_OUT_ROWS: gcc writes the loop's few iterations out; clang makes vectors of rows.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_WRITTEN_OUT_ROWS
#elif defined(__GNUC__)
#define OKL_WRITTEN_OUT_ROWS _Pragma("GCC unroll 4")
#else
#define OKL_WRITTEN_OUT_ROWS
#endif

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
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

static inline void gather_0_groups(const int *restrict list, const int *restrict idx, const int *restrict a, int *restrict b, uint32_t *restrict faults, const uint32_t a_length, int64_t begin, int64_t end) {
    for (int e = begin; e < end; ++e) {
        const int element = list[e];
        if ((int64_t)element * 2 >= 0 && (int64_t)element * 2 + 5 < a_length && (int64_t)element * 2 + 5 <= 2147483647) {
            for (int i = 0; i < 4; ++i) {
                int sum = 0;
                OKL_WRITTEN_OUT_ROWS
                for (int64_t k = 0; k < 3; ++k) {
                    sum = (uint32_t)sum + a[(int64_t)element * 2 + i + k];
                }
                b[e * 4 + i] = (uint32_t)sum + (idx[i] < 0 ? 0 : a[index_or_zero_int(idx[i], a_length, 1, e, i, faults)]);
            }
        } else {
            for (int i = 0; i < 4; ++i) {
                int sum = 0;
                OKL_WRITTEN_OUT_ROWS
                for (int k = 0; k < 3; ++k) {
                    sum = (uint32_t)sum + a[index_or_zero_int((uint32_t)element * 2 + i + k, a_length, 0, e, i, faults)];
                }
                b[e * 4 + i] = (uint32_t)sum + (idx[i] < 0 ? 0 : a[index_or_zero_int(idx[i], a_length, 1, e, i, faults)]);
            }
        }
    }
}

void gather_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    gather_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], *(const uint32_t *)arguments[5], begin, end);
}
