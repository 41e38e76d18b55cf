// CUDA C++, made from OKL.
// @kernel spread: spread_0
// @kernel apart: apart_0

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

static __device__ __forceinline__ void spread_0_group(const int groups, const int *x, int *y, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int factor = x[o];
    __syncthreads();
    const int i = item.x;
    y[o + i * groups] = i * factor;
}

extern "C" __global__ void __launch_bounds__(4) spread_0(const int groups, const int *x, int *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    spread_0_group(groups, x, y, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void apart_0_group(const int groups, const int *__restrict__ x, int *y, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int factor = x[o];
    const int i = item.x;
    y[o + i * groups] = i * factor;
}

extern "C" __global__ void __launch_bounds__(4) apart_0(const int groups, const int *__restrict__ x, int *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    apart_0_group(groups, x, y, group, okl_item{threadIdx.x, 0, 0});
}
