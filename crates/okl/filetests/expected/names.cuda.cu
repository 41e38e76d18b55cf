// CUDA C++, made from OKL.
// @kernel names: names_0
// @kernel hiding: hiding_0

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

static __device__ inline int double_(int register_) {
    return 2 * register_;
}

static __device__ __forceinline__ void names_0_group(const int *in, int *out, const int global, const int restrict_, const okl_group group, const okl_item item) {
    const int threadIdx_1 = item.x;
    out[threadIdx_1] = in[threadIdx_1] + global + restrict_ - 1 + 1 + 2 + 3 + 4 + 5 + double_(3) + 4 - 3;
}

extern "C" __global__ void __launch_bounds__(2) names_0(const int *in, int *out, const int global, const int restrict_, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    names_0_group(in, out, global, restrict_, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void hiding_0_group(int *x, const okl_group group, const okl_item item) {
    const int i = item.x;
    const int a = 1;
    const int a_1 = 10;
    const int a_2 = 100;
    x[i] += a_2;
    x[i] += a_1;
    x[i] += a;
    for (int a_3 = 0; a_3 < 3 * i; ++a_3) {
        ++x[i];
    }
}

extern "C" __global__ void __launch_bounds__(2) hiding_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    hiding_0_group(x, group, okl_item{threadIdx.x, 0, 0});
}
