// CUDA C++, made from OKL.
// @kernel divide: divide_0
// @kernel bits: bits_0
// @kernel wraps: wraps_0
// @kernel precedence: precedence_0

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

static __device__ __forceinline__ void divide_0_group(const int n, const int *a, const int *b, int *q, int *r, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}

extern "C" __global__ void __launch_bounds__(4) divide_0(const int n, const int *a, const int *b, int *q, int *r, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    divide_0_group(n, a, b, q, r, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) divide_0_pairs(const int n, const int *a, const int *b, int *q, int *r, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = a[i] / b[i];
        const int value_next = a[i_next] / b[i_next];
        q[i] = value;
        q[i_next] = value_next;
        const int value_1 = a[i] % b[i];
        const int value_1_next = a[i_next] % b[i_next];
        r[i] = value_1;
        r[i_next] = value_1_next;
    } else {
        divide_0_group(n, a, b, q, r, group, item);
        if (next.x < end) {
            divide_0_group(n, a, b, q, r, next, item);
        }
    }
}

static __device__ __forceinline__ void bits_0_group(int *x, const okl_group group, const okl_item item) {
    x[0] = 40;
    x[1] = -3;
    x[2] = 2147483644;
    x[3] = 1;
    x[4] = 12;
    x[5] = 8;
    x[6] = 6;
    x[7] = 14;
    x[8] = -13;
    x[9] = 255;
}

extern "C" __global__ void __launch_bounds__(1) bits_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    bits_0_group(x, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void wraps_0_group(uint32_t *x, const okl_group group, const okl_item item) {
    x[0] = 4294967295u;
    x[1] = 0;
    x[2] = 4294967291u;
    x[3] = 1;
}

extern "C" __global__ void __launch_bounds__(1) wraps_0(uint32_t *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    wraps_0_group(x, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void precedence_0_group(int *x, const okl_group group, const okl_item item) {
    x[0] = 14;
    x[1] = 20;
    x[2] = 1;
    x[3] = 6;
    x[4] = 7;
    x[5] = 1;
    x[6] = 24;
    x[7] = -6;
}

extern "C" __global__ void __launch_bounds__(1) precedence_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    precedence_0_group(x, group, okl_item{0, 0, 0});
}
