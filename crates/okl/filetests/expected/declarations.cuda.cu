// CUDA C++, made from OKL.
// @kernel late: late_0
// @kernel several: several_0

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

static __device__ __forceinline__ void late_0_group(int *out, const okl_group group, const okl_item item) {
    __shared__ int s[4];
    int a;
    {
        const int i = item.x;
        a = 10 * i;
    }
    __syncthreads();
    {
        const int i = item.x;
        s[i] = a;
    }
    __syncthreads();
    {
        const int i = item.x;
        int b = 3;
        out[i] = s[i] + b;
    }
}

extern "C" __global__ void __launch_bounds__(4) late_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    late_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void several_0_group(int *out, const okl_group group, const okl_item item) {
    __shared__ int s[4];
    __shared__ int t[2][2];
    {
        const int i = item.x;
        int b[2];
        int a = 1;
        b[0] = 2;
        b[1] = 100;
        s[i] = a + b[0];
        t[i / 2][i % 2] = b[1];
    }
    __syncthreads();
    {
        const int i = item.x;
        out[i] = 10 * i + s[3 - i] + t[(3 - i) / 2][i % 2];
    }
}

extern "C" __global__ void __launch_bounds__(4) several_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    several_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
