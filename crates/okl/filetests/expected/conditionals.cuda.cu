// CUDA C++, made from OKL.
// @kernel taken: taken_0

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

static __device__ __forceinline__ void taken_0_group(int *out, const okl_group group, const okl_item item) {
    out[0] = 1;
    out[1] = 2;
    out[2] = 3;
    out[3] = 4;
    out[4] = 5;
    out[5] = 6;
    out[6] = 7;
    out[7] = 8;
    out[8] = 9;
}

extern "C" __global__ void __launch_bounds__(1) taken_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    taken_0_group(out, group, okl_item{0, 0, 0});
}
