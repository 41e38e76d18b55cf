// CUDA C++, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

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

static __device__ __forceinline__ void every_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 8;
    const int i = i_block + (int)item.x * 2;
    if (i < n) {
        out[i] = (uint32_t)out[i] + 1;
    }
}

extern "C" __global__ void __launch_bounds__(4) every_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    every_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) every_0_coarsened(const int n, int *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 8;
    const int i = i_block + (int)item.x * 2;
    const int i_block_next = (int)next.x * 8;
    const int i_next = i_block_next + (int)item.x * 2;
    if (next.x < end && i < n && i_next < n) {
        const int value = (uint32_t)out[i] + 1;
        const int value_next = (uint32_t)out[i_next] + 1;
        out[i] = value;
        out[i_next] = value_next;
    } else {
        every_0_group(n, out, group, item);
        if (next.x < end) {
            every_0_group(n, out, next, item);
        }
    }
}

static __device__ __forceinline__ void through_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i <= n) {
        out[i] = (uint32_t)out[i] + 1;
    }
}

extern "C" __global__ void __launch_bounds__(4) through_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    through_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) through_0_coarsened(const int n, int *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i <= n && i_next <= n) {
        const int value = (uint32_t)out[i] + 1;
        const int value_next = (uint32_t)out[i_next] + 1;
        out[i] = value;
        out[i_next] = value_next;
    } else {
        through_0_group(n, out, group, item);
        if (next.x < end) {
            through_0_group(n, out, next, item);
        }
    }
}

static __device__ __forceinline__ void down_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = n - 1 + (int)group.x * -4;
    const int i = i_block + (int)item.x * -1;
    if (i >= 0) {
        out[i] = (uint32_t)out[i] + 1;
    }
}

extern "C" __global__ void __launch_bounds__(4) down_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    down_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) down_0_coarsened(const int n, int *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = n - 1 + (int)group.x * -4;
    const int i = i_block + (int)item.x * -1;
    const int i_block_next = n - 1 + (int)next.x * -4;
    const int i_next = i_block_next + (int)item.x * -1;
    if (next.x < end && i >= 0 && i_next >= 0) {
        const int value = (uint32_t)out[i] + 1;
        const int value_next = (uint32_t)out[i_next] + 1;
        out[i] = value;
        out[i_next] = value_next;
    } else {
        down_0_group(n, out, group, item);
        if (next.x < end) {
            down_0_group(n, out, next, item);
        }
    }
}
