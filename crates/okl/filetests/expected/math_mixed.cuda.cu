// CUDA C++, made from OKL.
// @kernel mixed: mixed_0

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

static __device__ __forceinline__ void mixed_0_group(const double x, const float f, const int i, double *out, const okl_group group, const okl_item item) {
    out[0] = fmin(x, (double)f);
    out[1] = fmax((double)f, x);
    out[2] = copysign(x, (double)-f);
    out[3] = fma(x, (double)f, 1.0);
    out[4] = sqrt((double)i);
    out[5] = fmaxf((float)i, f);
    out[6] = fmin(x, (double)f);
    out[7] = fmax((double)f, x);
}

extern "C" __global__ void __launch_bounds__(1) mixed_0(const double x, const float f, const int i, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    mixed_0_group(x, f, i, out, group, okl_item{0, 0, 0});
}
