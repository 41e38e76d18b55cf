// C11, made from OKL.
// @kernel sums: sums_0
// @kernel pairs: pairs_0
// @kernel nested: nested_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct muons {
    int no_value;
} muons;
_Static_assert(sizeof(muons) == 4, "size of muons");
_Static_assert(offsetof(muons, no_value) == 0, "offset of muons.no_value");

typedef struct point {
    int x;
    int y;
} point;
_Static_assert(sizeof(point) == 8, "size of point");
_Static_assert(offsetof(point, x) == 0, "offset of point.x");
_Static_assert(offsetof(point, y) == 4, "offset of point.y");

typedef struct places {
    int no_value;
} places;
_Static_assert(sizeof(places) == 4, "size of places");
_Static_assert(offsetof(places, no_value) == 0, "offset of places.no_value");

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
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

static inline float pair(muons m, int e, const int *m_offsets, const int *m_charge, const float *m_pt, int64_t m_charge_first, int64_t m_charge_length, int64_t m_pt_first, int64_t m_pt_length, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    for (int i = m_offsets[e]; i < m_offsets[e + 1]; ++i) {
        for (int j = i + 1; j < m_offsets[e + 1]; ++j) {
            if (m_charge[index_or_zero(m_charge_first + i, m_charge_length, 0, group_x, item_x, faults)] != m_charge[index_or_zero(m_charge_first + j, m_charge_length, 1, group_x, item_x, faults)]) {
                return m_pt[index_or_zero(m_pt_first + i, m_pt_length, 2, group_x, item_x, faults)] * m_pt[index_or_zero(m_pt_first + j, m_pt_length, 3, group_x, item_x, faults)];
            }
        }
    }
    return -1.0f;
}

static inline void sums_0_groups(const int events, const int *m_offsets, const float *m_pt, const int *m_charge, float *out, int *charges, uint32_t *restrict faults, const uint32_t m_pt_length, const uint32_t m_charge_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int e_block = group * 2;
        const int64_t e_end = okl_min_i64(e_block + 2, events);
        for (int e = e_block; e < e_end; ++e) {
            float sum = 0.0f;
            int charge = 0;
            for (int i = m_offsets[e]; i < m_offsets[e + 1]; ++i) {
                sum += m_pt[index_or_zero_int(i, m_pt_length, 4, (int64_t)e_block / 2, (int64_t)e - e_block, faults)];
                charge += m_charge[index_or_zero_int(i, m_charge_length, 5, (int64_t)e_block / 2, (int64_t)e - e_block, faults)];
            }
            out[e] = sum;
            charges[e] = charge;
        }
    }
}

void sums_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sums_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], *(const uint32_t *)arguments[7], *(const uint32_t *)arguments[8], begin, end);
}

static inline void pairs_0_groups(const int events, const int *m_offsets, const float *m_pt, const int *m_charge, float *out, uint32_t *restrict faults, const int64_t m_pt_length, const int64_t m_charge_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int e_block = group * 2;
        const muons m = {0};
        const int64_t e_end = okl_min_i64(e_block + 2, events);
        for (int e = e_block; e < e_end; ++e) {
            out[e] = pair(m, e, m_offsets, m_charge, m_pt, 0, m_charge_length, 0, m_pt_length, (int64_t)e_block / 2, (int64_t)e - e_block, faults);
        }
    }
}

void pairs_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    pairs_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], *(const int64_t *)arguments[6], *(const int64_t *)arguments[7], begin, end);
}

static inline void nested_0_groups(const int n, const int *list_offsets, const point *list_at, int *out, uint32_t *restrict faults, const uint32_t list_at_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int e_block = group * 2;
        const int64_t e_end = okl_min_i64(e_block + 2, n);
        for (int e = e_block; e < e_end; ++e) {
            int sum = 0;
            for (int i = list_offsets[e]; i < list_offsets[e + 1]; ++i) {
                sum += list_at[index_or_zero_int(i, list_at_length, 6, (int64_t)e_block / 2, (int64_t)e - e_block, faults)].x + list_at[index_or_zero_int(i, list_at_length, 7, (int64_t)e_block / 2, (int64_t)e - e_block, faults)].y;
            }
            out[e] = sum;
        }
    }
}

void nested_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    nested_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], *(const uint32_t *)arguments[5], begin, end);
}
