// CUDA C++, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0

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

static __device__ __forceinline__ void skip_0_group(int *x, const okl_group group, const okl_item item) {
    bool done;
    {
        const int i = item.x;
        done = false;
        if (i == 1) {
            done = true;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            x[i] = (uint32_t)x[i] + 1;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) skip_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    skip_0_group(x, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void stop_0_group(int *x, const okl_group group, const okl_item item) {
    bool done;
    {
        const int i = item.x;
        done = false;
        if (i == 1) {
            done = true;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            x[i] = (uint32_t)x[i] + 1;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            x[i] = (uint32_t)x[i] + 10;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) stop_0(int *x, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    stop_0_group(x, group, okl_item{threadIdx.x, 0, 0});
}
