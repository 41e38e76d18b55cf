// CUDA C++, made from OKL.
// @kernel blocks: blocks_0
// @kernel ordinary: ordinary_0
// @kernel three: three_0

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

static __device__ __forceinline__ void blocks_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    for (int i = i_block; i < (int64_t)i_block + 4 && i < n; ++i) {
        const int k = item.x;
        ++out[2 * i + k];
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(2) blocks_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    blocks_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void ordinary_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += i;
    }
    out[o] = sum;
}

extern "C" __global__ void __launch_bounds__(1) ordinary_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    ordinary_0_group(n, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void three_0_group(const int a, const int b, const int c, int *out, const okl_group group, const okl_item item) {
    const int z_block = (int)group.x * 4;
    const int y_block = (int)group.y * 2;
    const int x_block = (int)group.z * 2;
    const int z = z_block + (int)item.x;
    const int y = y_block + (int)item.y;
    const int x = x_block + (int)item.z;
    if (x < a) {
        if (y < b) {
            if (z < c) {
                ++out[(x * b + y) * c + z];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(16) three_0(const int a, const int b, const int c, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    three_0_group(a, b, c, out, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}
