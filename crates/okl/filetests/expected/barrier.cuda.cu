// CUDA C++, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

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

static __device__ __forceinline__ void rotate_0_group(const int *x, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[4];
    int mine;
    const int o = group.x;
    {
        const int i = item.x;
        mine = x[4 * o + i];
        s[i] = mine;
    }
    __syncthreads();
    {
        const int i = item.x;
        out[4 * o + i] = 10 * mine + s[(i + 1) % 4];
    }
}

extern "C" __global__ void __launch_bounds__(4) rotate_0(const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rotate_0_group(x, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void twice_0_group(int *x, const okl_group group, const okl_item item) {
    __shared__ int s[4];
    int sum;
    {
        const int i = item.x;
        sum = x[i];
        s[i] = sum;
    }
    __syncthreads();
    {
        const int i = item.x;
        sum += s[i ^ 1];
    }
    __syncthreads();
    {
        const int i = item.x;
        s[i] = sum;
    }
    __syncthreads();
    {
        const int i = item.x;
        sum += s[i ^ 2];
        x[i] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(4) twice_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    twice_0_group(x, group, okl_item{threadIdx.x, 0, 0});
}
