// CUDA C++, made from OKL.
// @kernel sum: sum_0
// @kernel shift: shift_0

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

static __device__ __forceinline__ void sum_0_group(int *x, const okl_group group, const okl_item item) {
    const int o = group.x;
    __shared__ int s[4];
    int mine;
    {
        const int i = item.x;
        mine = x[4 * o + i];
    }
    __syncthreads();
    for (int step = 1; step < 4; step *= 2) {
        {
            const int i = item.x;
            s[i] = mine;
        }
        __syncthreads();
        {
            const int i = item.x;
            mine += s[i ^ step];
        }
        __syncthreads();
    }
    {
        const int i = item.x;
        x[4 * o + i] = mine;
    }
}

extern "C" __global__ void __launch_bounds__(4) sum_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sum_0_group(x, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void shift_0_group(const int turns, int *x, const okl_group group, const okl_item item) {
    __shared__ int s[4];
    int next;
    {
        const int i = item.x;
        s[i] = x[i];
    }
    __syncthreads();
    for (int k = 0; k < turns; ++k) {
        {
            const int i = item.x;
            next = s[(i + 1) % 4];
        }
        __syncthreads();
        {
            const int i = item.x;
            s[i] = next;
        }
        __syncthreads();
    }
    {
        const int i = item.x;
        x[i] = s[i];
    }
}

extern "C" __global__ void __launch_bounds__(4) shift_0(const int turns, int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    shift_0_group(turns, x, group, okl_item{threadIdx.x, 0, 0});
}
