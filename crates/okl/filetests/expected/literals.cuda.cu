// CUDA C++, made from OKL.
// @kernel integers: integers_0
// @kernel floats: floats_0
// @kernel widths: widths_0

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

static __device__ __forceinline__ void integers_0_group(int64_t *out, const okl_group group, const okl_item item) {
    out[0] = 10;
    out[1] = 8;
    out[2] = 255;
    out[3] = 5;
    out[4] = 4294967295ll;
    out[5] = 4294967296ll;
    out[6] = -1;
    out[7] = 65;
    out[8] = 10;
    out[9] = 92;
    out[10] = 0;
    out[11] = 27;
    out[12] = 18;
    out[13] = 1;
}

extern "C" __global__ void __launch_bounds__(1) integers_0(int64_t *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    integers_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void floats_0_group(double *out, const okl_group group, const okl_item item) {
    out[0] = 1.5;
    out[1] = 0.5;
    out[2] = 2.0;
    out[3] = 1000.0;
    out[4] = 0.001;
    out[5] = 0.10000000149011612;
    out[6] = 1.5;
    out[7] = 3.0;
}

extern "C" __global__ void __launch_bounds__(1) floats_0(double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    floats_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void widths_0_group(int *out, const okl_group group, const okl_item item) {
    out[0] = 1;
    out[1] = 2;
    out[2] = 4;
    out[3] = 8;
    out[4] = 8;
    out[5] = 4;
}

extern "C" __global__ void __launch_bounds__(1) widths_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    widths_0_group(out, group, okl_item{0, 0, 0});
}
