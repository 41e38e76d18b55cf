// CUDA C++, made from OKL.
// @kernel objects: objects_0
// @kernel functions: functions_0
// @kernel blocks: blocks_0

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

static __device__ inline int sum3(int a, int b, int c) {
    return a + b + c;
}

static __device__ __forceinline__ void objects_0_group(int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    out[i] = 10 * i;
}

extern "C" __global__ void __launch_bounds__(4) objects_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    objects_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void functions_0_group(int *out, const okl_group group, const okl_item item) {
    out[0] = 25;
    out[1] = 7;
    out[2] = 3;
    out[3] = 12;
    out[4] = sum3(1, 2, 3);
    out[5] = 42;
    out[6] = 3;
    do {
        out[7] = 9;
    } while (false);
}

extern "C" __global__ void __launch_bounds__(1) functions_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    functions_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void blocks_0_group(int *out, const okl_group group, const okl_item item) {
    out[0] = 3;
    out[1] = 5;
    out[2] = 8;
}

extern "C" __global__ void __launch_bounds__(1) blocks_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    blocks_0_group(out, group, okl_item{0, 0, 0});
}
