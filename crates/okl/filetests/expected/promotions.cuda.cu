// CUDA C++, made from OKL.
// @kernel mixed: mixed_0
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

static __device__ __forceinline__ void mixed_0_group(const int a, const uint32_t u, const uint8_t c, const int16_t s, const int64_t l, const float f, const double d, int64_t *out, const okl_group group, const okl_item item) {
    out[0] = (uint32_t)a < u;
    out[1] = l < u;
    out[2] = a * u;
    out[3] = c + c;
    out[4] = s + s;
    out[5] = s < c;
    out[6] = a == 4294967295u;
    out[7] = f == d;
    out[8] = (a < 0) + (c > 0) + (s != 0);
    out[9] = 1;
    out[10] = 4294967295ll;
    out[11] = 1;
}

extern "C" __global__ void __launch_bounds__(1) mixed_0(const int a, const uint32_t u, const uint8_t c, const int16_t s, const int64_t l, const float f, const double d, int64_t *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    mixed_0_group(a, u, c, s, l, f, d, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void floats_0_group(const int i, float *out, double *wide, const okl_group group, const okl_item item) {
    out[0] = i;
    out[1] = i * 1.0f;
    out[2] = 1.0f / 2.0f;
    out[3] = 3.0f;
    wide[0] = i * 1.0;
    wide[1] = 1.0f / 2.0f;
    wide[2] = 0.1f + 0.2f;
    wide[3] = 0.1 + 0.2;
}

extern "C" __global__ void __launch_bounds__(1) floats_0(const int i, float *out, double *wide, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    floats_0_group(i, out, wide, group, okl_item{0, 0, 0});
}
