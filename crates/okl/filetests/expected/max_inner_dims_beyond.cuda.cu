// CUDA C++, made from OKL.
// @kernel fill: fill_0

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

static __device__ __forceinline__ void fill_0_group(const int items, int *out, const okl_group group, const okl_item item) {
    const int o = (int)group.x * items;
    const int i = item.x;
    out[o + i] = o + i;
}

extern "C" __global__ void __launch_bounds__(1024) fill_0(const int items, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    fill_0_group(items, out, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}
