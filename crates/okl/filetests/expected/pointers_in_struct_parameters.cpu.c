// C11, made from OKL.
// @kernel axpy: axpy_0
// @kernel nested: nested_0
// @kernel rows: rows_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct operand {
    double scale;
    int offset;
} operand;
_Static_assert(sizeof(operand) == 16, "size of operand");
_Static_assert(offsetof(operand, scale) == 0, "offset of operand.scale");
_Static_assert(offsetof(operand, offset) == 8, "offset of operand.offset");

typedef struct target {
    int no_value;
} target;
_Static_assert(sizeof(target) == 4, "size of target");
_Static_assert(offsetof(target, no_value) == 0, "offset of target.no_value");

typedef struct two {
    int no_value;
} two;
_Static_assert(sizeof(two) == 4, "size of two");
_Static_assert(offsetof(two, no_value) == 0, "offset of two.no_value");

typedef struct parts {
    two left;
    int scale;
} parts;
_Static_assert(sizeof(parts) == 8, "size of parts");
_Static_assert(offsetof(parts, left) == 0, "offset of parts.left");
_Static_assert(offsetof(parts, scale) == 4, "offset of parts.scale");

typedef struct matrix {
    int columns[2];
} matrix;
_Static_assert(sizeof(matrix) == 8, "size of matrix");
_Static_assert(offsetof(matrix, columns) == 0, "offset of matrix.columns");

typedef struct sink {
    int no_value;
} sink;
_Static_assert(sizeof(sink) == 4, "size of sink");
_Static_assert(offsetof(sink, no_value) == 0, "offset of sink.no_value");

typedef struct parts_1 {
    int scale;
} parts_1;
_Static_assert(sizeof(parts_1) == 4, "size of parts_1");
_Static_assert(offsetof(parts_1, scale) == 0, "offset of parts_1.scale");

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

static inline double at(operand x, int i, const double *x_values, const double *x_more, int64_t x_values_first, int64_t x_values_length, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    return x.scale * x_values[index_or_zero(x_values_first + (i + x.offset), x_values_length, 0, group_x, item_x, faults)] + x_more[i];
}

static inline void store(const parts *p, int i, int *p_right, const int *p_second, int *p_first) {
    p_first[i] = p_right[i] * p[0].scale + p_second[i];
}

static inline void axpy_0_groups(const int n, const operand x, const double *restrict x_values, const double *x_more, double *y_values, uint32_t *restrict faults, const int64_t x_values_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 4;
        const int64_t i_end = okl_min_i64(i_block + 4, n);
        for (int i = i_block; i < i_end; ++i) {
            y_values[i] += at(x, i, x_values, x_more, 0, x_values_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
        }
    }
}

void axpy_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    axpy_0_groups(*(const int *)arguments[0], *(const operand *)arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], *(const int64_t *)arguments[6], begin, end);
}

static inline void nested_0_groups(const parts_1 p, int *p_left_first, const int *p_left_second, int *p_right, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        const parts p_1 = {{0}, p.scale};
        const two half = p_1.left;
        int64_t half_first_offset;
        int64_t half_second_offset;
        half_first_offset = 0;
        half_second_offset = 0;
        for (int i = 0; i < 1; ++i) {
            parts copy = p_1;
            int64_t copy_right_offset;
            int64_t copy_left_first_offset;
            int64_t copy_left_second_offset;
            copy_right_offset = 0;
            copy_left_first_offset = 0;
            copy_left_second_offset = 0;
            copy_right_offset = copy_right_offset + o;
            copy_left_first_offset = half_first_offset + o;
            copy_left_second_offset = half_second_offset + o;
            store(&copy, 0, &p_right[copy_right_offset], &p_left_second[copy_left_second_offset], &p_left_first[copy_left_first_offset]);
        }
    }
}

void nested_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    nested_0_groups(*(const parts_1 *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void rows_0_groups(const matrix m, const int (*m_rows)[3], int *o_data, int *o_data_, uint32_t *restrict faults, const int64_t m_rows_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 2;
        for (int i = i_block; i < i_block + 2; ++i) {
            o_data[i] = (&m_rows[0][0])[index_or_zero((int64_t)i * 3 + m.columns[0], m_rows_length, 1, (int64_t)i_block / 2, (int64_t)i - i_block, faults)] + o_data_[0] * m.columns[i];
        }
    }
}

void rows_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rows_0_groups(*(const matrix *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], *(const int64_t *)arguments[5], begin, end);
}
