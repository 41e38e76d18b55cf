// CUDA C++, made from OKL.
// @kernel axpy: axpy_0
// @kernel nested: nested_0
// @kernel rows: rows_0

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807ll - 1)
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
struct okl_group { int64_t x, y, z; };
struct okl_item { uint32_t x, y, z; };

typedef struct operand {
    double scale;
    int offset;
} operand;
static_assert(sizeof(operand) == 16, "size of operand");

typedef struct target {
    int no_value;
} target;
static_assert(sizeof(target) == 4, "size of target");

typedef struct two {
    int no_value;
} two;
static_assert(sizeof(two) == 4, "size of two");

typedef struct parts {
    two left;
    int scale;
} parts;
static_assert(sizeof(parts) == 8, "size of parts");

typedef struct matrix {
    int columns[2];
} matrix;
static_assert(sizeof(matrix) == 8, "size of matrix");

typedef struct sink {
    int no_value;
} sink;
static_assert(sizeof(sink) == 4, "size of sink");

typedef struct parts_1 {
    int scale;
} parts_1;
static_assert(sizeof(parts_1) == 4, "size of parts_1");

static __device__ inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return atomicExch(at, value);
}

static __device__ inline void report_fault(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
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

static __device__ inline int64_t index_or_zero(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint64_t)index < length) {
        return index;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline bool is_in_range(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint64_t)index < length) {
        return true;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return false;
}

static __device__ inline double at(operand x, int i, const double *x_values, const double *x_more, int64_t x_values_first, int64_t x_values_length, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    return x.scale * x_values[index_or_zero(x_values_first + (int)((uint32_t)i + x.offset), x_values_length, 0, group_x, item_x, faults)] + x_more[i];
}

static __device__ inline void store(const parts *p, int i, int *p_right, const int *p_second, int *p_first) {
    p_first[i] = (uint32_t)p_right[i] * p[0].scale + p_second[i];
}

static __device__ __forceinline__ void axpy_0_group(const int n, const operand x, const double *__restrict__ x_values, const double *x_more, double *y_values, uint32_t *__restrict__ faults, const int64_t x_values_length, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        y_values[i] += at(x, i, x_values, x_more, 0, x_values_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) axpy_0(const int n, const operand x, const double *__restrict__ x_values, const double *x_more, double *y_values, uint32_t *__restrict__ faults, const int64_t x_values_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    axpy_0_group(n, x, x_values, x_more, y_values, faults, x_values_length, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) axpy_0_coarsened(const int n, const operand x, const double *__restrict__ x_values, const double *x_more, double *y_values, uint32_t *__restrict__ faults, const int64_t x_values_length, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double value = y_values[i] + at(x, i, x_values, x_more, 0, x_values_length, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
        const double value_next = y_values[i_next] + at(x, i_next, x_values, x_more, 0, x_values_length, (int64_t)i_block_next / 4, (int64_t)i_next - i_block_next, faults);
        y_values[i] = value;
        y_values[i_next] = value_next;
    } else {
        axpy_0_group(n, x, x_values, x_more, y_values, faults, x_values_length, group, item);
        if (next.x < end) {
            axpy_0_group(n, x, x_values, x_more, y_values, faults, x_values_length, next, item);
        }
    }
}

static __device__ __forceinline__ void nested_0_group(const parts_1 p, int *p_left_first, const int *p_left_second, int *p_right, const okl_group group, const okl_item item) {
    const int o = group.x;
    const parts p_1 = {{0}, p.scale};
    int64_t half_first_offset;
    int64_t half_second_offset;
    half_first_offset = 0;
    half_second_offset = 0;
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

extern "C" __global__ void __launch_bounds__(1) nested_0(const parts_1 p, int *p_left_first, const int *p_left_second, int *p_right, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    nested_0_group(p, p_left_first, p_left_second, p_right, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void rows_0_group(const matrix m, const int (*m_rows)[3], int *o_data, int *o_data_, uint32_t *__restrict__ faults, const int64_t m_rows_length, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    o_data[i] = (&m_rows[0][0])[index_or_zero((int64_t)i * 3 + m.columns[0], m_rows_length, 1, (int64_t)i_block / 2, (int64_t)i - i_block, faults)] + (uint32_t)o_data_[0] * m.columns[i];
}

extern "C" __global__ void __launch_bounds__(2) rows_0(const matrix m, const int (*m_rows)[3], int *o_data, int *o_data_, uint32_t *__restrict__ faults, const int64_t m_rows_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rows_0_group(m, m_rows, o_data, o_data_, faults, m_rows_length, group, okl_item{threadIdx.x, 0, 0});
}
