// CUDA C++, made from OKL.
// @kernel captures: captures_0
// @kernel functions: functions_0
// @kernel floats: floats_0
// @kernel tickets: tickets_0
// @kernel sum_by_cas: sum_by_cas_0
// @kernel counted: counted_0

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

static __device__ inline float okl_atomic_add_f32(float *at, float value) {
    return atomicAdd(at, value);
}

static __device__ inline int okl_atomic_add_i32(int *at, int value) {
    return atomicAdd(at, value);
}

static __device__ inline int okl_atomic_and_i32(int *at, int value) {
    return atomicAnd(at, value);
}

static __device__ inline float okl_atomic_cas_f32(float *at, float expected, float value) {
    return __uint_as_float(atomicCAS((uint32_t *)at, (uint32_t)__float_as_uint(expected), (uint32_t)__float_as_uint(value)));
}

static __device__ inline int okl_atomic_cas_i32(int *at, int expected, int value) {
    return (atomicCAS((uint32_t *)at, (uint32_t)(expected), (uint32_t)(value)));
}

static __device__ inline float okl_atomic_exchange_f32(float *at, float value) {
    uint32_t *const word = (uint32_t *)at;
    uint32_t seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = __uint_as_float(seen);
        next = value;
        seen = atomicCAS(word, expected, __float_as_uint(next));
    } while (seen != expected);
    return old;
}

static __device__ inline int okl_atomic_exchange_i32(int *at, int value) {
    return atomicExch(at, value);
}

static __device__ inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return atomicExch(at, value);
}

static __device__ inline int okl_atomic_max_i32(int *at, int value) {
    return atomicMax(at, value);
}

static __device__ inline int okl_atomic_min_i32(int *at, int value) {
    return atomicMin(at, value);
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

static __device__ inline int okl_max_i32(int a, int b) {
    return a > b ? a : b;
}

static __device__ inline int okl_min_i32(int a, int b) {
    return a < b ? a : b;
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

static __device__ inline int take(int *counter) {
    int before;
    before = okl_atomic_add_i32(&counter[0], 1);
    return before;
}

static __device__ __forceinline__ void captures_0_group(const int n, int *a, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        int old;
        old = okl_atomic_add_i32(&a[0], 1);
        out[0] = old;
        int next;
        int before;
        before = okl_atomic_add_i32(&a[1], 1);
        next = (uint32_t)before + 1;
        out[1] = next;
        int now;
        int before_1;
        before_1 = okl_atomic_sub_i32(&a[2], 5);
        out[2] = (uint32_t)before_1 - 5;
        int before_2;
        before_2 = okl_atomic_max_i32(&a[3], 120);
        out[3] = okl_max_i32(before_2, 120);
        int before_3;
        before_3 = okl_atomic_min_i32(&a[4], 5);
        out[4] = okl_min_i32(before_3, 5);
        int before_4;
        before_4 = okl_atomic_add_i32(&a[5], 6);
        now = (uint32_t)before_4 + 6;
        out[5] = now;
        old = okl_atomic_exchange_i32(&a[6], 9);
        out[6] = old;
        int before_5;
        before_5 = okl_atomic_add_i32(&a[7], 1);
        out[7] = (uint32_t)before_5 + 1;
    }
}

extern "C" __global__ void __launch_bounds__(4) captures_0(const int n, int *a, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    captures_0_group(n, a, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void functions_0_group(const int n, int *a, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        int before;
        before = okl_atomic_add_i32(&a[0], 3);
        out[0] = before;
        int before_1;
        before_1 = okl_atomic_sub_i32(&a[1], 3);
        out[1] = before_1;
        int before_2;
        before_2 = okl_atomic_min_i32(&a[2], 3);
        out[2] = before_2;
        int before_3;
        before_3 = okl_atomic_max_i32(&a[3], 90);
        out[3] = before_3;
        int before_4;
        before_4 = okl_atomic_and_i32(&a[4], 9);
        out[4] = before_4;
        int before_5;
        before_5 = okl_atomic_or_i32(&a[5], 3);
        out[5] = before_5;
        int before_6;
        before_6 = okl_atomic_xor_i32(&a[6], 5);
        out[6] = before_6;
        int before_7;
        before_7 = okl_atomic_exchange_i32(&a[7], 1);
        out[7] = before_7;
        int before_8;
        before_8 = okl_atomic_cas_i32(&a[8], 5, 7);
        out[8] = before_8;
        int before_9;
        before_9 = okl_atomic_cas_i32(&a[9], 5, 7);
        out[9] = before_9;
    }
}

extern "C" __global__ void __launch_bounds__(4) functions_0(const int n, int *a, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    functions_0_group(n, a, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void floats_0_group(const int n, float *a, float *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        float before;
        before = okl_atomic_add_f32(&a[0], 3.0f);
        out[0] = before;
        float before_1;
        before_1 = okl_atomic_exchange_f32(&a[1], 0.25f);
        out[1] = before_1;
        float before_2;
        before_2 = okl_atomic_cas_f32(&a[2], 3.5f, 9.0f);
        out[2] = before_2;
        float before_3;
        before_3 = okl_atomic_cas_f32(&a[3], 0.0f, 1.0f);
        out[3] = before_3;
    }
}

extern "C" __global__ void __launch_bounds__(4) floats_0(const int n, float *a, float *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    floats_0_group(n, a, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void tickets_0_group(const int n, int *count, int *ticket, int *seen, uint32_t *__restrict__ faults, const uint32_t seen_length, const okl_group group, const okl_item item) {
    __shared__ int mine[1];
    __shared__ int first[1];
    const int o = group.x;
    {
        const int i = item.x;
        if (i == 0) {
            mine[0] = 0;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (4 * o + i < n) {
            int before;
            before = okl_atomic_add_i32(&mine[0], 1);
            ticket[4 * o + i] = before;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (i == 0) {
            int before;
            before = okl_atomic_add_i32(&count[0], mine[0]);
            first[0] = before;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (4 * o + i < n) {
            {
                const int at = (uint32_t)first[0] + ticket[4 * o + i];
                if (is_in_range_int(at, seen_length, 0, o, i, faults)) {
                    okl_atomic_add_i32(&seen[at], 1);
                }
            }
            ticket[4 * o + i] = 0;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) tickets_0(const int n, int *count, int *ticket, int *seen, uint32_t *__restrict__ faults, const uint32_t seen_length, const okl_group first_1) {
    const okl_group group = {first_1.x + blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    tickets_0_group(n, count, ticket, seen, faults, seen_length, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void sum_by_cas_0_group(const int n, const float *x, float *sum, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        float before;
        before = okl_atomic_add_f32(&sum[0], 0.0f);
        float found = before;
        float expected = found - 1.0f;
        while (found != expected) {
            expected = found;
            float before_1;
            before_1 = okl_atomic_cas_f32(&sum[0], expected, expected + x[i]);
            found = before_1;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) sum_by_cas_0(const int n, const float *x, float *sum, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sum_by_cas_0_group(n, x, sum, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void counted_0_group(const int n, int *counter, int *out, uint32_t *__restrict__ faults, const uint32_t out_length, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        int result;
        result = take(counter);
        {
            const int at = result;
            if (is_in_range_int(at, out_length, 1, (int64_t)i_block / 4, (int64_t)i - i_block, faults)) {
                out[at] = 1;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) counted_0(const int n, int *counter, int *out, uint32_t *__restrict__ faults, const uint32_t out_length, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    counted_0_group(n, counter, out, faults, out_length, group, okl_item{threadIdx.x, 0, 0});
}
