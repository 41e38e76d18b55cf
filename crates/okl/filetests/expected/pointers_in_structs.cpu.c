// C11, made from OKL.
// @kernel boundary: boundary_0
// @kernel nested: nested_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct data {
    int id;
    double x;
} data;
_Static_assert(sizeof(data) == 16, "size of data");
_Static_assert(offsetof(data, id) == 0, "offset of data.id");
_Static_assert(offsetof(data, x) == 8, "offset of data.x");

typedef struct view {
    int no_value;
} view;
_Static_assert(sizeof(view) == 4, "size of view");
_Static_assert(offsetof(view, no_value) == 0, "offset of view.no_value");

typedef struct pair {
    view left;
    int scale;
} pair;
_Static_assert(sizeof(pair) == 8, "size of pair");
_Static_assert(offsetof(pair, left) == 0, "offset of pair.left");
_Static_assert(offsetof(pair, scale) == 4, "offset of pair.scale");

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t okl_opaque_i64(int64_t value) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
    __asm__("" : "+r"(value));
#endif
    return value;
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

static inline double twice(const data *d, int i, const double *d_usrwrk, int64_t d_usrwrk_first, int64_t d_usrwrk_length, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    return 2.0 * d_usrwrk[index_or_zero(d_usrwrk_first + (int)((uint32_t)i + d[0].id), d_usrwrk_length, 0, group_x, item_x, faults)];
}

static inline void store(data *d, int i, const double *d_usrwrk, double *d_out, int64_t d_usrwrk_first, int64_t d_usrwrk_length, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    d_out[i] = twice(d, i, d_usrwrk, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults) + d[0].x;
}

static inline void fill(pair p, int i, const double *p_right, double *p_first) {
    p_first[i] = p_right[i] * p.scale;
}

static inline void boundary_0_groups(const int n, const double *w, const double *v, double *out, double *more, uint32_t *restrict faults, const int64_t w_length, const int64_t v_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        const int64_t i_end = okl_min_i64(i_block + 4, n);
        for (int i = i_block; i < i_end; ++i) {
            data d;
            int64_t d_usrwrk_offset;
            int64_t d_usrwrk_array;
            int64_t d_out_offset;
            d.id = 1;
            d.x = 3.0;
            d_usrwrk_array = 0;
            d_usrwrk_offset = 0;
            d_out_offset = 0;
            if (i % 2 == 1) {
                d_usrwrk_array = 1;
                d_usrwrk_offset = okl_opaque_i64(-1);
                d.x = 3.0 + 0.0;
            }
            if (d_usrwrk_array == 0) {
                store(&d, i, w, &out[d_out_offset], d_usrwrk_offset, w_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
            } else {
                store(&d, i, v, &out[d_out_offset], d_usrwrk_offset, v_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
            }
            data copy = d;
            int64_t copy_usrwrk_offset;
            int64_t copy_out_offset;
            int64_t copy_out_array;
            const int64_t copy_usrwrk = d_usrwrk_array;
            copy_usrwrk_offset = d_usrwrk_offset;
            copy_out_array = 2;
            copy_out_offset = d_out_offset;
            copy_out_array = 3;
            copy_out_offset = 0;
            if (copy_usrwrk == 0) {
                if (copy_out_array == 2) {
                    store(&copy, i, w, &out[copy_out_offset], copy_usrwrk_offset, w_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
                } else {
                    store(&copy, i, w, &more[copy_out_offset], copy_usrwrk_offset, w_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
                }
            } else if (copy_out_array == 2) {
                store(&copy, i, v, &out[copy_out_offset], copy_usrwrk_offset, v_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
            } else {
                store(&copy, i, v, &more[copy_out_offset], copy_usrwrk_offset, v_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
            }
        }
    }
}

void boundary_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    boundary_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], *(const int64_t *)arguments[6], *(const int64_t *)arguments[7], begin, end);
}

static inline void nested_0_groups(const double *a, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int64_t i = 0; i < 1; ++i) {
            const pair p = {{0}, 11};
            int64_t p_right_offset;
            int64_t p_left_first_offset;
            p_right_offset = 0;
            p_left_first_offset = o;
            p_right_offset = p_right_offset + o;
            fill(p, 0, &a[p_right_offset], &out[p_left_first_offset]);
        }
    }
}

void nested_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    nested_0_groups(arguments[0], arguments[1], begin, end);
}
