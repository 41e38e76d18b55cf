// CUDA C++, made from OKL.
// @kernel casts: casts_0
// @kernel floats: floats_0

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

static __device__ __forceinline__ void casts_0_group(const double x, const int big, int64_t *out, const okl_group group, const okl_item item) {
    out[0] = (int)x;
    out[1] = 255;
    out[2] = (int8_t)big;
    out[3] = 4294967295ll;
    out[4] = -1;
    out[5] = 1;
    out[6] = 0;
    out[7] = 65;
    out[8] = 3;
    out[9] = 2;
}

extern "C" __global__ void __launch_bounds__(1) casts_0(const double x, const int big, int64_t *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    casts_0_group(x, big, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void floats_0_group(const double third, double *out, const okl_group group, const okl_item item) {
    out[0] = (float)third;
    out[1] = 4294967296.0;
    out[2] = -5.0 / 2.0 + 0.5;
}

extern "C" __global__ void __launch_bounds__(1) floats_0(const double third, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    floats_0_group(third, out, group, okl_item{0, 0, 0});
}
