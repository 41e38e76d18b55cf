// CUDA C++, made from OKL.
// @kernel waves: waves_0

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

static __device__ __forceinline__ void waves_0_group(const int n, const double *x, double *y, float *z, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 32;
    const int i = i_block + (int)item.x;
    if (i < n) {
        const double angle = 0.37 * x[i] - 40.0;
        y[i] = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        z[i] = 1.0f;
    }
}

extern "C" __global__ void __launch_bounds__(32) waves_0(const int n, const double *x, double *y, float *z, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    waves_0_group(n, x, y, z, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(32) waves_0_pairs(const int n, const double *x, double *y, float *z, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 32;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 32;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double angle = 0.37 * x[i] - 40.0;
        const double value = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        const double angle_next = 0.37 * x[i_next] - 40.0;
        const double value_next = exp(0.05 * angle_next) * cos(angle_next) + sin(3.0 * angle_next) + log(1.0 + x[i_next]);
        y[i] = value;
        y[i_next] = value_next;
        const float value_1 = 1.0f;
        const float value_1_next = 1.0f;
        z[i] = value_1;
        z[i_next] = value_1_next;
    } else {
        waves_0_group(n, x, y, z, group, item);
        if (next.x < end) {
            waves_0_group(n, x, y, z, next, item);
        }
    }
}
