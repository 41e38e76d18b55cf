// CUDA C++, made from OKL.
// @kernel tally: tally_0
// @kernel by_value: by_value_0

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

typedef struct Tally {
    int count;
    double sum;
    int64_t most;
} Tally;
static_assert(sizeof(Tally) == 24, "size of Tally");

typedef struct Pair {
    int a;
    double b;
} Pair;
static_assert(sizeof(Pair) == 16, "size of Pair");

typedef struct Outer {
    Pair pairs[2];
    int8_t tag;
} Outer;
static_assert(sizeof(Outer) == 40, "size of Outer");

static __device__ inline double okl_atomic_add_f64(double *at, double value) {
    return atomicAdd(at, value);
}

static __device__ inline int okl_atomic_add_i32(int *at, int value) {
    return atomicAdd(at, value);
}

static __device__ inline int64_t okl_atomic_max_i64(int64_t *at, int64_t value) {
    return atomicMax(at, value);
}

static __device__ inline double total(Outer s) {
    double sum = s.tag;
    for (int k = 0; k < 2; ++k) {
        sum += s.pairs[k].a + s.pairs[k].b;
    }
    return sum;
}

static __device__ __forceinline__ void tally_0_group(const int n, const double *x, Tally *t, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_add_i32(&t[0].count, 1);
        okl_atomic_add_f64(&t[0].sum, x[i]);
        okl_atomic_max_i64(&t[0].most, (int64_t)x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(2) tally_0(const int n, const double *x, Tally *t, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    tally_0_group(n, x, t, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void by_value_0_group(const Outer *o, const Outer s, double *out, const okl_group group, const okl_item item) {
    Outer mine = s;
    mine.pairs[1].b = 19.0;
    out[0] = total(s) + total(o[0]) - total(o[0]);
    out[1] = total(mine);
}

extern "C" __global__ void __launch_bounds__(1) by_value_0(const Outer *o, const Outer s, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    by_value_0_group(o, s, out, group, okl_item{0, 0, 0});
}

extern "C" __global__ void __launch_bounds__(1) by_value_0_pairs(const Outer *o, const Outer s, double *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {0, 0, 0};
    Outer mine = s;
    Outer mine_next = s;
    if (next.x < end) {
        const double value = 19.0;
        const double value_next = 19.0;
        mine.pairs[1].b = value;
        mine_next.pairs[1].b = value_next;
        const double value_1 = total(s) + total(o[0]) - total(o[0]);
        const double value_1_next = total(s) + total(o[0]) - total(o[0]);
        out[0] = value_1;
        out[0] = value_1_next;
        const double value_2 = total(mine);
        const double value_2_next = total(mine_next);
        out[1] = value_2;
        out[1] = value_2_next;
    } else {
        by_value_0_group(o, s, out, group, item);
        if (next.x < end) {
            by_value_0_group(o, s, out, next, item);
        }
    }
}
