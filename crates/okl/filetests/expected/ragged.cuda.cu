// CUDA C++, made from OKL.
// @kernel sums: sums_0
// @kernel pairs: pairs_0
// @kernel nested: nested_0

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

typedef struct muons {
    int no_value;
} muons;
static_assert(sizeof(muons) == 4, "size of muons");

typedef struct point {
    int x;
    int y;
} point;
static_assert(sizeof(point) == 8, "size of point");

typedef struct places {
    int no_value;
} places;
static_assert(sizeof(places) == 4, "size of places");

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

static __device__ inline void report_fault_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
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

static __device__ inline int index_or_zero_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint32_t)index < length) {
        return index;
    }
    report_fault_int(index, length, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline bool is_in_range_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint32_t)index < length) {
        return true;
    }
    report_fault_int(index, length, place, group_x, item_x, faults);
    return false;
}

static __device__ inline float pair(muons m, int e, const int *m_offsets, const int *m_charge, const float *m_pt, int64_t m_charge_first, int64_t m_charge_length, int64_t m_pt_first, int64_t m_pt_length, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    for (int i = m_offsets[e]; i < m_offsets[e + 1]; ++i) {
        for (int j = (uint32_t)i + 1; j < m_offsets[e + 1]; ++j) {
            if (m_charge[index_or_zero(m_charge_first + i, m_charge_length, 0, group_x, item_x, faults)] != m_charge[index_or_zero(m_charge_first + j, m_charge_length, 1, group_x, item_x, faults)]) {
                return m_pt[index_or_zero(m_pt_first + i, m_pt_length, 2, group_x, item_x, faults)] * m_pt[index_or_zero(m_pt_first + j, m_pt_length, 3, group_x, item_x, faults)];
            }
        }
    }
    return -1.0f;
}

static __device__ __forceinline__ void sums_0_group(const int events, const int *m_offsets, const float *m_pt, const int *m_charge, float *out, int *charges, uint32_t *__restrict__ faults, const uint32_t m_pt_length, const uint32_t m_charge_length, const okl_group group, const okl_item item) {
    const int e_block = (int)group.x * 2;
    const int e = e_block + (int)item.x;
    if (e < events) {
        float sum = 0.0f;
        int charge = 0;
        for (int i = m_offsets[e]; i < m_offsets[e + 1]; ++i) {
            sum += m_pt[index_or_zero_int(i, m_pt_length, 4, (int64_t)e_block / 2, (int64_t)e - e_block, faults)];
            charge = (uint32_t)charge + m_charge[index_or_zero_int(i, m_charge_length, 5, (int64_t)e_block / 2, (int64_t)e - e_block, faults)];
        }
        out[e] = sum;
        charges[e] = charge;
    }
}

extern "C" __global__ void __launch_bounds__(2) sums_0(const int events, const int *m_offsets, const float *m_pt, const int *m_charge, float *out, int *charges, uint32_t *__restrict__ faults, const uint32_t m_pt_length, const uint32_t m_charge_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sums_0_group(events, m_offsets, m_pt, m_charge, out, charges, faults, m_pt_length, m_charge_length, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void pairs_0_group(const int events, const int *m_offsets, const float *m_pt, const int *m_charge, float *out, uint32_t *__restrict__ faults, const int64_t m_pt_length, const int64_t m_charge_length, const okl_group group, const okl_item item) {
    const int e_block = (int)group.x * 2;
    const muons m = {0};
    const int e = e_block + (int)item.x;
    if (e < events) {
        out[e] = pair(m, e, m_offsets, m_charge, m_pt, 0, m_charge_length, 0, m_pt_length, (int64_t)e_block / 2, (int64_t)e - e_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(2) pairs_0(const int events, const int *m_offsets, const float *m_pt, const int *m_charge, float *out, uint32_t *__restrict__ faults, const int64_t m_pt_length, const int64_t m_charge_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    pairs_0_group(events, m_offsets, m_pt, m_charge, out, faults, m_pt_length, m_charge_length, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void nested_0_group(const int n, const int *list_offsets, const point *list_at, int *out, uint32_t *__restrict__ faults, const uint32_t list_at_length, const okl_group group, const okl_item item) {
    const int e_block = (int)group.x * 2;
    const int e = e_block + (int)item.x;
    if (e < n) {
        int sum = 0;
        for (int i = list_offsets[e]; i < list_offsets[e + 1]; ++i) {
            sum = sum + ((uint32_t)list_at[index_or_zero_int(i, list_at_length, 6, (int64_t)e_block / 2, (int64_t)e - e_block, faults)].x + list_at[index_or_zero_int(i, list_at_length, 7, (int64_t)e_block / 2, (int64_t)e - e_block, faults)].y);
        }
        out[e] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(2) nested_0(const int n, const int *list_offsets, const point *list_at, int *out, uint32_t *__restrict__ faults, const uint32_t list_at_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    nested_0_group(n, list_offsets, list_at, out, faults, list_at_length, group, okl_item{threadIdx.x, 0, 0});
}
