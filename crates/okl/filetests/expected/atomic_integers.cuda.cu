// CUDA C++, made from OKL.
// @kernel forms: forms_0
// @kernel histogram: histogram_0
// @kernel unsigned_long: unsigned_long_0

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

static __device__ inline int okl_atomic_add_i32(int *at, int value) {
    return atomicAdd(at, value);
}

static __device__ inline uint64_t okl_atomic_add_u64(uint64_t *at, uint64_t value) {
    return atomicAdd(at, value);
}

static __device__ inline int okl_atomic_and_i32(int *at, int value) {
    return atomicAnd(at, value);
}

static __device__ inline int okl_atomic_exchange_i32(int *at, int value) {
    return atomicExch(at, value);
}

static __device__ inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return atomicExch(at, value);
}

static __device__ inline int okl_atomic_mul_i32(int *at, int value) {
    uint32_t *const word = (uint32_t *)at;
    uint32_t seen = *word, expected;
    int old, next;
    do {
        expected = seen;
        old = (int)seen;
        next = old * value;
        seen = atomicCAS(word, expected, (uint32_t)next);
    } while (seen != expected);
    return old;
}

static __device__ inline int okl_atomic_or_i32(int *at, int value) {
    return atomicOr(at, value);
}

static __device__ inline int okl_atomic_sub_i32(int *at, int value) {
    return atomicAdd(at, -value);
}

static __device__ inline int okl_atomic_xor_i32(int *at, int value) {
    return atomicXor(at, value);
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

static __device__ __forceinline__ void forms_0_group(const int n, int *a, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_add_i32(&a[0], 1);
        okl_atomic_sub_i32(&a[1], 2);
        okl_atomic_add_i32(&a[2], 1);
        okl_atomic_sub_i32(&a[3], 1);
        okl_atomic_mul_i32(&a[4], 2);
        okl_atomic_and_i32(&a[5], ~(1 << (i & 31)));
        okl_atomic_or_i32(&a[6], 1 << (i & 31));
        okl_atomic_xor_i32(&a[7], 1 << (i & 31));
        okl_atomic_exchange_i32(&a[8], 5);
    }
}

extern "C" __global__ void __launch_bounds__(4) forms_0(const int n, int *a, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    forms_0_group(n, a, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void histogram_0_group(const int n, const int *x, int *bins, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    __shared__ int local_bins[4];
    const int o = group.x;
    {
        const int i = item.x;
        if (i < 4) {
            local_bins[i] = 0;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (5 * o + i < n) {
            {
                const int at = x[5 * o + i];
                if (is_in_range_int(at, 4, 0, o, i, faults)) {
                    okl_atomic_add_i32(&local_bins[at], 1);
                }
            }
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (i < 4) {
            okl_atomic_add_i32(&bins[i], local_bins[i]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(5) histogram_0(const int n, const int *x, int *bins, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    histogram_0_group(n, x, bins, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void unsigned_long_0_group(const int n, uint64_t *a, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_add_u64(&a[0], 1);
    }
}

extern "C" __global__ void __launch_bounds__(2) unsigned_long_0(const int n, uint64_t *a, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    unsigned_long_0_group(n, a, group, okl_item{threadIdx.x, 0, 0});
}
