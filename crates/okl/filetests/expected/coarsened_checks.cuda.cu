// CUDA C++, made from OKL.
// @kernel gather: gather_0
// @kernel guarded: guarded_0

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

static __device__ inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return atomicExch(at, value);
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

static __device__ __forceinline__ void gather_0_group(const int n, const int *idx, const int *a, int *b, uint32_t *__restrict__ faults, const uint32_t a_length, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        b[i] = a[index_or_zero_int(idx[i], a_length, 0, (int64_t)i_block / 4, (int64_t)i - i_block, faults)];
    }
}

extern "C" __global__ void __launch_bounds__(4) gather_0(const int n, const int *idx, const int *a, int *b, uint32_t *__restrict__ faults, const uint32_t a_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    gather_0_group(n, idx, a, b, faults, a_length, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) gather_0_coarsened(const int n, const int *idx, const int *a, int *b, uint32_t *__restrict__ faults, const uint32_t a_length, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int index = idx[i];
        const int index_next = idx[i_next];
        const int value = a[index_or_zero_int(index, a_length, 0, (int64_t)i_block / 4, (int64_t)i - i_block, faults)];
        const int value_next = a[index_or_zero_int(index_next, a_length, 0, (int64_t)i_block_next / 4, (int64_t)i_next - i_block_next, faults)];
        b[i] = value;
        b[i_next] = value_next;
    } else {
        gather_0_group(n, idx, a, b, faults, a_length, group, item);
        if (next.x < end) {
            gather_0_group(n, idx, a, b, faults, a_length, next, item);
        }
    }
}

static __device__ __forceinline__ void guarded_0_group(const int n, const int *idx, const int *a, int *b, uint32_t *__restrict__ faults, const uint32_t a_length, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        b[i] = idx[i] >= 0 && idx[i] < 4 ? a[index_or_zero_int(idx[i], a_length, 1, (int64_t)i_block / 4, (int64_t)i - i_block, faults)] : 0;
    }
}

extern "C" __global__ void __launch_bounds__(4) guarded_0(const int n, const int *idx, const int *a, int *b, uint32_t *__restrict__ faults, const uint32_t a_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    guarded_0_group(n, idx, a, b, faults, a_length, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) guarded_0_coarsened(const int n, const int *idx, const int *a, int *b, uint32_t *__restrict__ faults, const uint32_t a_length, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = idx[i] >= 0 && idx[i] < 4 ? a[index_or_zero_int(idx[i], a_length, 1, (int64_t)i_block / 4, (int64_t)i - i_block, faults)] : 0;
        const int value_next = idx[i_next] >= 0 && idx[i_next] < 4 ? a[index_or_zero_int(idx[i_next], a_length, 1, (int64_t)i_block_next / 4, (int64_t)i_next - i_block_next, faults)] : 0;
        b[i] = value;
        b[i_next] = value_next;
    } else {
        guarded_0_group(n, idx, a, b, faults, a_length, group, item);
        if (next.x < end) {
            guarded_0_group(n, idx, a, b, faults, a_length, next, item);
        }
    }
}
