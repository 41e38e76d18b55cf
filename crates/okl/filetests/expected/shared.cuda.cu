// CUDA C++, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel scalar: scalar_0

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

static __device__ __forceinline__ void reverse_0_group(double *x, const okl_group group, const okl_item item) {
    const int o = group.x;
    __shared__ double s[4];
    {
        const int i = item.x;
        s[i] = x[4 * o + i];
    }
    __syncthreads();
    {
        const int i = item.x;
        x[4 * o + i] = s[3 - i];
    }
}

extern "C" __global__ void __launch_bounds__(4) reverse_0(double *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    reverse_0_group(x, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void transpose_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[4][5];
    {
        const int i = item.x;
        const int j = item.y;
        s[j][i] = in[4 * j + i];
    }
    __syncthreads();
    {
        const int i = item.x;
        const int j = item.y;
        out[4 * j + i] = s[i][j];
    }
}

extern "C" __global__ void __launch_bounds__(16) transpose_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    transpose_0_group(in, out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}

static __device__ __forceinline__ void scalar_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    __shared__ int total;
    {
        const int i = item.x;
        if (i == 1) {
            total = 7 * o;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        out[2 * o + i] = total;
    }
}

extern "C" __global__ void __launch_bounds__(2) scalar_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    scalar_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
