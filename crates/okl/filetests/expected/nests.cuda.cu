// CUDA C++, made from OKL.
// @kernel chain: chain_0, chain_1, chain_2
// @kernel sweep: sweep_0
// @kernel shrink: shrink_0

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

static __device__ __forceinline__ void chain_0_group(int *x, const int bound, const int shift, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < bound) {
        x[i] = i + shift;
    }
}

extern "C" __global__ void __launch_bounds__(4) chain_0(int *x, const int bound, const int shift, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    chain_0_group(x, bound, shift, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void chain_1_group(int *x, const int bound, const int shift, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < bound) {
        x[i] = (uint32_t)x[i] + shift;
    }
}

extern "C" __global__ void __launch_bounds__(4) chain_1(int *x, const int bound, const int shift, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    chain_1_group(x, bound, shift, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) chain_1_coarsened(int *x, const int bound, const int shift, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < bound && i_next < bound) {
        const int value = (uint32_t)x[i] + shift;
        const int value_next = (uint32_t)x[i_next] + shift;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        chain_1_group(x, bound, shift, group, item);
        if (next.x < end) {
            chain_1_group(x, bound, shift, next, item);
        }
    }
}

static __device__ __forceinline__ void chain_2_group(int *x, const int bound, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < bound) {
        x[i] = (uint32_t)x[i] * 2;
    }
}

extern "C" __global__ void __launch_bounds__(4) chain_2(int *x, const int bound, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    chain_2_group(x, bound, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) chain_2_coarsened(int *x, const int bound, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < bound && i_next < bound) {
        const int value = (uint32_t)x[i] * 2;
        const int value_next = (uint32_t)x[i_next] * 2;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        chain_2_group(x, bound, group, item);
        if (next.x < end) {
            chain_2_group(x, bound, next, item);
        }
    }
}

static __device__ __forceinline__ void sweep_0_group(int *x, const int weight, const int column, const okl_group group, const okl_item item) {
    const int i = column;
    x[i] = (uint32_t)x[i] + weight;
}

extern "C" __global__ void __launch_bounds__(1) sweep_0(int *x, const int weight, const int column, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sweep_0_group(x, weight, column, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void shrink_0_group(int *x, const int m, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < m) {
        x[i] = (uint32_t)x[i] + 1;
    }
}

extern "C" __global__ void __launch_bounds__(2) shrink_0(int *x, const int m, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    shrink_0_group(x, m, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) shrink_0_coarsened(int *x, const int m, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < m && i_next < m) {
        const int value = (uint32_t)x[i] + 1;
        const int value_next = (uint32_t)x[i_next] + 1;
        x[i] = value;
        x[i_next] = value_next;
    } else {
        shrink_0_group(x, m, group, item);
        if (next.x < end) {
            shrink_0_group(x, m, next, item);
        }
    }
}
