// CUDA C++, made from OKL.
// @kernel runtime: runtime_0
// @kernel folded: folded_0
// @kernel offset: offset_0

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

static __device__ __forceinline__ void runtime_0_group(const int items, int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    int mine;
    {
        const int i = item.x;
        mine = 10 * o + i;
    }
    __syncthreads();
    {
        const int i = item.x;
        out[o * items + i] = mine;
    }
}

extern "C" __global__ void runtime_0(const int items, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    runtime_0_group(items, out, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}

static __device__ __forceinline__ void folded_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int i = item.x;
    out[o * 3 + i] = 10 * o + i;
}

extern "C" __global__ void __launch_bounds__(3) folded_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    folded_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void offset_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int i_start = 4 * o;
    const int i = i_start + (int)item.x;
    out[i] = i;
}

extern "C" __global__ void __launch_bounds__(4) offset_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    offset_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
