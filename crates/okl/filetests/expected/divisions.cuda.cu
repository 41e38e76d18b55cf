// CUDA C++, made from OKL.
// @kernel loaded: loaded_0
// @kernel unsigned_loaded: unsigned_loaded_0
// @kernel wide: wide_0
// @kernel unsigned_wide: unsigned_wide_0
// @kernel narrow: narrow_0
// @kernel updates: updates_0
// @kernel atomics: v_atomics_0
// @kernel by_function: by_function_0
// @kernel guarded: guarded_0
// @kernel by_group: by_group_0
// @kernel proven: proven_0

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

static __device__ inline int okl_atomic_div_i32(int *at, int value) {
    uint32_t *const word = (uint32_t *)at;
    uint32_t seen = *word, expected;
    int old, next;
    do {
        expected = seen;
        old = (int)seen;
        next = old / value;
        seen = atomicCAS(word, expected, (uint32_t)next);
    } while (seen != expected);
    return old;
}

static __device__ inline uint32_t okl_atomic_div_u32(uint32_t *at, uint32_t value) {
    uint32_t *const word = (uint32_t *)at;
    uint32_t seen = *word, expected;
    uint32_t old, next;
    do {
        expected = seen;
        old = (uint32_t)seen;
        next = old / value;
        seen = atomicCAS(word, expected, (uint32_t)next);
    } while (seen != expected);
    return old;
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

static __device__ inline void report_division(uint32_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    uint32_t before;
    before = okl_atomic_exchange_u32(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = divisor;
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static __device__ inline bool is_divisor(bool is_zero, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if (!is_zero) {
        return true;
    }
    report_division(0, place, group_x, item_x, faults);
    return false;
}

static __device__ inline int quotient_int(int dividend, int divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint32_t)divisor + 1 > 1) {
        return dividend / divisor;
    }
    if (divisor != 0 && dividend != INT32_MIN) {
        return -dividend;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline int64_t quotient_long(int64_t dividend, int64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint64_t)divisor + 1 > 1) {
        return dividend / divisor;
    }
    if (divisor != 0 && dividend != INT64_MIN) {
        return -dividend;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline uint32_t quotient_unsigned_int(uint32_t dividend, uint32_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if (divisor != 0) {
        return dividend / divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline uint64_t quotient_unsigned_long(uint64_t dividend, uint64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if (divisor != 0) {
        return dividend / divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline int remainder_int(int dividend, int divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint32_t)divisor + 1 > 1) {
        return dividend % divisor;
    }
    if (divisor != 0 && dividend != INT32_MIN) {
        return 0;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline int64_t remainder_long(int64_t dividend, int64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if ((uint64_t)divisor + 1 > 1) {
        return dividend % divisor;
    }
    if (divisor != 0 && dividend != INT64_MIN) {
        return 0;
    }
    report_division((uint32_t)divisor, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline uint32_t remainder_unsigned_int(uint32_t dividend, uint32_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if (divisor != 0) {
        return dividend % divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline uint64_t remainder_unsigned_long(uint64_t dividend, uint64_t divisor, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    if (divisor != 0) {
        return dividend % divisor;
    }
    report_division(0, place, group_x, item_x, faults);
    return 0;
}

static __device__ inline int share(int a, int b, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    return quotient_int(a, b, 0, group_x, item_x, faults);
}

static __device__ inline int share_of(const int *a, const int *b, int k, uint32_t group_x, uint32_t item_x, uint32_t *__restrict__ faults) {
    return share(a[k], b[k], group_x, item_x, faults) + (b[k] > 2 ? 2 : 1);
}

static __device__ __forceinline__ void loaded_0_group(const int *a, const int *b, int *q, int *r, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 3) {
        q[i] = quotient_int(a[i], b[i], 1, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
        r[i] = remainder_int(a[i], b[i], 2, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) loaded_0(const int *a, const int *b, int *q, int *r, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    loaded_0_group(a, b, q, r, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void unsigned_loaded_0_group(const uint32_t *a, const uint32_t *b, uint32_t *q, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        q[i] = quotient_unsigned_int(a[i], b[i], 3, (int64_t)i_block / 4, (int64_t)i - i_block, faults) * 10 + remainder_unsigned_int(a[i], b[i], 4, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) unsigned_loaded_0(const uint32_t *a, const uint32_t *b, uint32_t *q, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    unsigned_loaded_0_group(a, b, q, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void wide_0_group(const int64_t *a, const int64_t *b, int64_t *q, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        q[i] = quotient_long(a[i], b[i], 5, (int64_t)i_block / 4, (int64_t)i - i_block, faults) * (b[i] > 0 ? 11 : 1) + remainder_long(a[i], b[i], 6, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) wide_0(const int64_t *a, const int64_t *b, int64_t *q, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    wide_0_group(a, b, q, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void unsigned_wide_0_group(const uint64_t *a, const uint64_t *b, uint64_t *q, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        q[i] = quotient_unsigned_long(a[i], b[i], 7, (int64_t)i_block / 4, (int64_t)i - i_block, faults) * 10 + remainder_unsigned_long(a[i], b[i], 8, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) unsigned_wide_0(const uint64_t *a, const uint64_t *b, uint64_t *q, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    unsigned_wide_0_group(a, b, q, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void narrow_0_group(const int16_t *a, const int16_t *b, int *q, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        q[i] = quotient_int(a[i], b[i], 9, (int64_t)i_block / 4, (int64_t)i - i_block, faults) * (b[i] > 0 ? 10 : 1) + remainder_int(a[i], b[i], 10, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) narrow_0(const int16_t *a, const int16_t *b, int *q, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    narrow_0_group(a, b, q, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void updates_0_group(const int *b, int *q, int *s, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        {
            const int at = i;
            q[at] = quotient_int(q[at], b[i], 11, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
        }
        int r = s[i];
        r = remainder_int(r, b[i], 12, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
        s[i] = r;
    }
}

extern "C" __global__ void __launch_bounds__(4) updates_0(const int *b, int *q, int *s, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    updates_0_group(b, q, s, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void v_atomics_0_group(const int *b, int *q, uint32_t *u, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        {
            const int by = b[i];
            if (is_divisor(by == 0, 13, (int64_t)i_block / 4, (int64_t)i - i_block, faults)) {
                if (by == -1) {
                    int before;
                    before = okl_atomic_mul_i32(&q[i], by);
                    if (before == INT32_MIN) {
                        report_division(4294967295u, 13, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
                    }
                } else {
                    okl_atomic_div_i32(&q[i], by);
                }
            }
        }
        {
            const uint32_t by = (uint32_t)b[i];
            if (is_divisor(by == 0, 14, (int64_t)i_block / 4, (int64_t)i - i_block, faults)) {
                okl_atomic_div_u32(&u[i], by);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) v_atomics_0(const int *b, int *q, uint32_t *u, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    v_atomics_0_group(b, q, u, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void by_function_0_group(const int *a, const int *b, int *q, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 2) {
        q[i] = share_of(a, b, i, (int64_t)i_block / 4, (int64_t)i - i_block, faults);
    }
}

extern "C" __global__ void __launch_bounds__(4) by_function_0(const int *a, const int *b, int *q, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    by_function_0_group(a, b, q, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void guarded_0_group(const int *a, const int *b, int *q, uint32_t *__restrict__ faults, const okl_group group, const okl_item item) {
    const int i_block = 0;
    const int i = i_block + (int)item.x;
    if (i < 3) {
        const uint32_t by = b[i];
        const int once = by ? a[i] / by : 0u;
        const int twice = b[i] != 0 && quotient_int(a[i], b[i], 15, (int64_t)i_block / 4, (int64_t)i - i_block, faults) == 3;
        q[i] = once * twice;
    }
}

extern "C" __global__ void __launch_bounds__(4) guarded_0(const int *a, const int *b, int *q, uint32_t *__restrict__ faults, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    guarded_0_group(a, b, q, faults, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void by_group_0_group(const int n, const int m, int *q, const int start, const okl_group group, const okl_item item) {
    const int g = start + (int)group.x;
    const int i_start = g % n;
    const int i = i_start + (int)item.x;
    q[(g - m / n) * 2 + i - g % n] = (g - m / n) * 2 + i - g % n;
}

extern "C" __global__ void __launch_bounds__(2) by_group_0(const int n, const int m, int *q, const int start, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    by_group_0_group(n, m, q, start, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void proven_0_group(const int n, const int m, const int *u, int *q, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n * m) {
        int sum = u[i % n] + i / m - (i + 7) / (m - i % m);
        for (int s = m; s > 0; s /= 2) {
            sum += i % s;
        }
        if (n != 0) {
            sum += (i + m) / n % 2;
        }
        q[i] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(4) proven_0(const int n, const int m, const int *u, int *q, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    proven_0_group(n, m, u, q, group, okl_item{threadIdx.x, 0, 0});
}
