// CUDA C++, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

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

static __device__ __forceinline__ void shift_0_group(const int n, const int *__restrict__ a, int *__restrict__ b, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        b[i] = (uint32_t)a[i] + 1;
    }
}

extern "C" __global__ void __launch_bounds__(2) shift_0(const int n, const int *__restrict__ a, int *__restrict__ b, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    shift_0_group(n, a, b, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) shift_0_coarsened(const int n, const int *__restrict__ a, int *__restrict__ b, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = (uint32_t)a[i] + 1;
        const int value_next = (uint32_t)a[i_next] + 1;
        b[i] = value;
        b[i_next] = value_next;
    } else {
        shift_0_group(n, a, b, group, item);
        if (next.x < end) {
            shift_0_group(n, a, b, next, item);
        }
    }
}

static __device__ __forceinline__ void plain_0_group(const int n, const int *a, int *b, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        b[i] = (uint32_t)a[i] + 1;
    }
}

extern "C" __global__ void __launch_bounds__(2) plain_0(const int n, const int *a, int *b, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    plain_0_group(n, a, b, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) plain_0_coarsened(const int n, const int *a, int *b, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = (uint32_t)a[i] + 1;
        const int value_next = (uint32_t)a[i_next] + 1;
        b[i] = value;
        b[i_next] = value_next;
    } else {
        plain_0_group(n, a, b, group, item);
        if (next.x < end) {
            plain_0_group(n, a, b, next, item);
        }
    }
}

static __device__ __forceinline__ void both_0_group(const int n, const int *__restrict__ a, const int *__restrict__ b, int *c, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        c[i] = (uint32_t)a[i] + b[i];
    }
}

extern "C" __global__ void __launch_bounds__(2) both_0(const int n, const int *__restrict__ a, const int *__restrict__ b, int *c, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    both_0_group(n, a, b, c, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) both_0_coarsened(const int n, const int *__restrict__ a, const int *__restrict__ b, int *c, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = (uint32_t)a[i] + b[i];
        const int value_next = (uint32_t)a[i_next] + b[i_next];
        c[i] = value;
        c[i_next] = value_next;
    } else {
        both_0_group(n, a, b, c, group, item);
        if (next.x < end) {
            both_0_group(n, a, b, c, next, item);
        }
    }
}
