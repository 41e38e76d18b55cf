// CUDA C++, made from OKL.
// @kernel leave: leave_0
// @kernel until: until_0
// @kernel which: which_0

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

static __device__ __forceinline__ void leave_0_group(const int *n, int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int mine = n[o];
    __syncthreads();
    if (!(mine == 0)) {
        const int i = item.x;
        if (i < mine) {
            ++out[3 * o + i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(3) leave_0(const int *n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    leave_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void until_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    int left = n;
    while (left > 0) {
        const int i = item.x;
        ++out[i];
        __syncthreads();
        left -= 3;
    }
}

extern "C" __global__ void __launch_bounds__(4) until_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    until_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void which_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    int base;
    if (o == 0) {
        base = 10;
    } else if (o == 1) {
        base = 20;
    } else {
        base = 30;
    }
    const int i = item.x;
    out[2 * o + i] = base + i;
}

extern "C" __global__ void __launch_bounds__(2) which_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    which_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
