// CUDA C++, made from OKL.
// @kernel areas: areas_0

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

static __device__ inline double area(double width, double height) {
    return width * height * 2.0;
}

static __device__ __forceinline__ void areas_0_group(double *out, const okl_group group, const okl_item item) {
    out[0] = area(2.0, 3.0);
    out[1] = 2.0;
}

extern "C" __global__ void __launch_bounds__(1) areas_0(double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    areas_0_group(out, group, okl_item{0, 0, 0});
}

extern "C" __global__ void __launch_bounds__(1) areas_0_pairs(double *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {0, 0, 0};
    if (next.x < end) {
        const double value = area(2.0, 3.0);
        const double value_next = area(2.0, 3.0);
        out[0] = value;
        out[0] = value_next;
        const double value_1 = 2.0;
        const double value_1_next = 2.0;
        out[1] = value_1;
        out[1] = value_1_next;
    } else {
        areas_0_group(out, group, item);
        if (next.x < end) {
            areas_0_group(out, next, item);
        }
    }
}
