// CUDA C++, made from OKL.
// @kernel offsets: offsets_0
// @kernel branches: branches_0
// @kernel rounds: rounds_0

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

static __device__ __forceinline__ void offsets_0_group(const int *starts, const int *x, int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int begin = starts[o];
    const int end = starts[o + 1];
    __syncthreads();
    int sum = 0;
    for (int k = begin; k < end; ++k) {
        sum += x[k];
    }
    out[o] = sum;
}

extern "C" __global__ void __launch_bounds__(1) offsets_0(const int *starts, const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    offsets_0_group(starts, x, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void branches_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    int factor = o;
    if (o >= 2) {
        factor *= 10;
        {
            const int i = item.x;
            out[2 * o + i] = factor;
        }
    } else {
        {
            const int i = item.x;
            out[2 * o + i] = factor;
        }
    }
}

extern "C" __global__ void __launch_bounds__(2) branches_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    branches_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void rounds_0_group(const int rounds, int *x, const okl_group group, const okl_item item) {
    const int o = group.x;
    for (int r = 1; r < rounds; ++r) {
        const int factor = r + 1;
        const int i = item.x;
        x[2 * o + i] *= factor;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(2) rounds_0(const int rounds, int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rounds_0_group(rounds, x, group, okl_item{threadIdx.x, 0, 0});
}
