// OpenCL C, made from OKL.
// @kernel axpy: axpy_0
// @kernel nested: nested_0
// @kernel rows: rows_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct operand {
    double scale;
    int offset;
} operand;
OKL_HOLDS(sizeof(operand) == 16, "size of operand");
OKL_HOLDS(__builtin_offsetof(operand, scale) == 0, "offset of operand.scale");
OKL_HOLDS(__builtin_offsetof(operand, offset) == 8, "offset of operand.offset");

typedef struct target {
    int no_value;
} target;
OKL_HOLDS(sizeof(target) == 4, "size of target");
OKL_HOLDS(__builtin_offsetof(target, no_value) == 0, "offset of target.no_value");

typedef struct two {
    int no_value;
} two;
OKL_HOLDS(sizeof(two) == 4, "size of two");
OKL_HOLDS(__builtin_offsetof(two, no_value) == 0, "offset of two.no_value");

typedef struct parts {
    two left;
    int scale;
} parts;
OKL_HOLDS(sizeof(parts) == 8, "size of parts");
OKL_HOLDS(__builtin_offsetof(parts, left) == 0, "offset of parts.left");
OKL_HOLDS(__builtin_offsetof(parts, scale) == 4, "offset of parts.scale");

typedef struct matrix {
    int columns[2];
} matrix;
OKL_HOLDS(sizeof(matrix) == 8, "size of matrix");
OKL_HOLDS(__builtin_offsetof(matrix, columns) == 0, "offset of matrix.columns");

typedef struct sink {
    int no_value;
} sink;
OKL_HOLDS(sizeof(sink) == 4, "size of sink");
OKL_HOLDS(__builtin_offsetof(sink, no_value) == 0, "offset of sink.no_value");

typedef struct parts_1 {
    int scale;
} parts_1;
OKL_HOLDS(sizeof(parts_1) == 4, "size of parts_1");
OKL_HOLDS(__builtin_offsetof(parts_1, scale) == 0, "offset of parts_1.scale");

static inline uint okl_atomic_exchange_uint_global(__global uint *at, uint value) {
    return atomic_xchg(at, value);
}

static inline void report_fault(long index, ulong length, uint place, uint group_x, uint item_x, __global uint *restrict faults) {
    uint before;
    before = okl_atomic_exchange_uint_global(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = (uint)index;
        faults[3] = (uint)(index >> 32);
        faults[4] = (uint)length;
        faults[5] = (uint)(length >> 32);
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline long index_or_zero(long index, ulong length, uint place, uint group_x, uint item_x, __global uint *restrict faults) {
    if ((ulong)index < length) {
        return index;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return 0;
}

static inline double at(operand x, int i, __global const double *x_values, __global const double *x_more, long x_values_first, long x_values_length, uint group_x, uint item_x, __global uint *restrict faults) {
    return x.scale * x_values[index_or_zero(x_values_first + (i + x.offset), x_values_length, 0, group_x, item_x, faults)] + x_more[i];
}

static inline void store(__private const parts *p, int i, __global int *p_right, __global const int *p_second, __global int *p_first) {
    p_first[i] = p_right[i] * p[0].scale + p_second[i];
}

static inline void axpy_0_group(int n, operand x, __global const double *restrict x_values, __global const double *x_more, __global double *y_values, __global uint *restrict faults, long x_values_length, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        y_values[i] += at(x, i, x_values, x_more, 0, x_values_length, (long)i_block / 4, (long)i - i_block, faults);
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void axpy_0(const int n, const operand x, __global const double *restrict x_values_buffer, const long x_values_start, __global const double *x_more_buffer, const long x_more_start, __global double *y_values_buffer, const long y_values_start, __global uint *restrict faults_buffer, const long faults_start, const long x_values_length, const long3 first, const long end) {
    __global const double *restrict x_values = x_values_buffer + x_values_start;
    __global const double *x_more = x_more_buffer + x_more_start;
    __global double *y_values = y_values_buffer + y_values_start;
    __global uint *restrict faults = faults_buffer + faults_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const double value = y_values[i] + at(x, i, x_values, x_more, 0, x_values_length, (long)i_block / 4, (long)i - i_block, faults);
        const double value_next = y_values[i_next] + at(x, i_next, x_values, x_more, 0, x_values_length, (long)i_block_next / 4, (long)i_next - i_block_next, faults);
        y_values[i] = value;
        y_values[i_next] = value_next;
    } else {
        axpy_0_group(n, x, x_values, x_more, y_values, faults, x_values_length, group_x, group_y, group_z);
        if (next_x < end) {
            axpy_0_group(n, x, x_values, x_more, y_values, faults, x_values_length, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void nested_0(const parts_1 p, __global int *p_left_first_buffer, const long p_left_first_start, __global const int *p_left_second_buffer, const long p_left_second_start, __global int *p_right_buffer, const long p_right_start, const long3 first) {
    __global int *p_left_first = p_left_first_buffer + p_left_first_start;
    __global const int *p_left_second = p_left_second_buffer + p_left_second_start;
    __global int *p_right = p_right_buffer + p_right_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int o = group_x;
    const parts p_1 = {{0}, p.scale};
    const two half_1 = p_1.left;
    long half_first_offset;
    long half_second_offset;
    half_first_offset = 0;
    half_second_offset = 0;
    parts copy = p_1;
    long copy_right_offset;
    long copy_left_first_offset;
    long copy_left_second_offset;
    copy_right_offset = 0;
    copy_left_first_offset = 0;
    copy_left_second_offset = 0;
    copy_right_offset = copy_right_offset + o;
    copy_left_first_offset = half_first_offset + o;
    copy_left_second_offset = half_second_offset + o;
    store(&copy, 0, &p_right[copy_right_offset], &p_left_second[copy_left_second_offset], &p_left_first[copy_left_first_offset]);
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void rows_0(const matrix m, __global const int *m_rows_buffer, const long m_rows_start, __global int *o_data_buffer, const long o_data_start, __global int *o_data__buffer, const long o_data__start, __global uint *restrict faults_buffer, const long faults_start, const long m_rows_length, const long3 first) {
    __global const int (*m_rows)[3] = (__global const int (*)[3])(m_rows_buffer + m_rows_start);
    __global int *o_data = o_data_buffer + o_data_start;
    __global int *o_data_ = o_data__buffer + o_data__start;
    __global uint *restrict faults = faults_buffer + faults_start;
    const int i_block = 0;
    const int i = i_block + (int)get_local_id(0);
    o_data[i] = (&m_rows[0][0])[index_or_zero((long)i * 3 + m.columns[0], m_rows_length, 1, (long)i_block / 2, (long)i - i_block, faults)] + o_data_[0] * m.columns[i];
}
