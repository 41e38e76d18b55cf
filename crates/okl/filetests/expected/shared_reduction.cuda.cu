// CUDA C++, made from OKL.
// @kernel sum: sum_0

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

static __device__ __forceinline__ void sum_0_group(const double *x, double *out, const okl_group group, const okl_item item) {
    __shared__ double s[8];
    const int o = group.x;
    {
        const int i = item.x;
        s[i] = x[8 * o + i];
    }
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        {
            const int i = item.x;
            if (i < half) {
                s[i] += s[i + half];
            }
        }
        __syncthreads();
    }
    {
        const int i = item.x;
        if (i == 0) {
            out[o] = s[0];
        }
    }
}

extern "C" __global__ void __launch_bounds__(8) sum_0(const double *x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sum_0_group(x, out, group, okl_item{threadIdx.x, 0, 0});
}
