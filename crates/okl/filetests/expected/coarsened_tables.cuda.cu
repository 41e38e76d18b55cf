// CUDA C++, made from OKL.
// @kernel by_group: by_group_0
// @kernel by_item: by_item_0

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

static __device__ const int weights[3] = {10, 20, 30};

static __device__ __forceinline__ void by_group_0_group(const int *u, int *v, const okl_group group, const okl_item item) {
    const int b = group.x;
    const int k = group.y;
    const int weight = weights[b];
    v[k * 3 + b] = (uint32_t)weight * u[k * 3 + b];
}

extern "C" __global__ void __launch_bounds__(1) by_group_0(const int *u, int *v, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    by_group_0_group(u, v, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void by_item_0_group(const int n, const int *u, int *v, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        const int weight = weights[i % 3];
        v[i] = (uint32_t)weight * u[i];
    }
}

extern "C" __global__ void __launch_bounds__(4) by_item_0(const int n, const int *u, int *v, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    by_item_0_group(n, u, v, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) by_item_0_coarsened(const int n, const int *u, int *v, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int weight = weights[i % 3];
        const int value = (uint32_t)weight * u[i];
        const int weight_next = weights[i_next % 3];
        const int value_next = (uint32_t)weight_next * u[i_next];
        v[i] = value;
        v[i_next] = value_next;
    } else {
        by_item_0_group(n, u, v, group, item);
        if (next.x < end) {
            by_item_0_group(n, u, v, next, item);
        }
    }
}
