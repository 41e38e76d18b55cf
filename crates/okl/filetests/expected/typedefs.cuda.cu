// CUDA C++, made from OKL.
// @kernel names: names_0

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

typedef struct point_s {
    double x;
    int id;
} point_s;
static_assert(sizeof(point_s) == 16, "size of point_s");

static __device__ __forceinline__ void names_0_group(double *out, const okl_group group, const okl_item item) {
    point_s p;
    p.x = 2.5;
    p.id = 11;
    out[0] = 0.0;
    out[1] = 1.0;
    out[2ull] = 10.0;
    out[3] = p.id;
    out[4] = p.x;
    out[5] = 42.0;
}

extern "C" __global__ void __launch_bounds__(1) names_0(double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    names_0_group(out, group, okl_item{0, 0, 0});
}
