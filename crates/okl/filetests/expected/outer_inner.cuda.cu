// CUDA C++, made from OKL.
// @kernel scale: scale_0

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

static __device__ __forceinline__ void scale_0_group(const double a, const double *x, double *y, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int i = item.x;
    y[4 * o + i] = a * x[4 * o + i];
}

extern "C" __global__ void __launch_bounds__(4) scale_0(const double a, const double *x, double *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    scale_0_group(a, x, y, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) scale_0_coarsened(const double a, const double *x, double *y, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int o = group.x;
    const int i = item.x;
    const int o_next = next.x;
    const int i_next = item.x;
    if (next.x < end) {
        const double value = a * x[4 * o + i];
        const double value_next = a * x[4 * o_next + i_next];
        y[4 * o + i] = value;
        y[4 * o_next + i_next] = value_next;
    } else {
        scale_0_group(a, x, y, group, item);
        if (next.x < end) {
            scale_0_group(a, x, y, next, item);
        }
    }
}
