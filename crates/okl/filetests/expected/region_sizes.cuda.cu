// CUDA C++, made from OKL.
// @kernel sizes: sizes_0

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

static __device__ __forceinline__ void sizes_0_group(int *out, const okl_group group, const okl_item item) {
    __shared__ int s[8];
    int mine;
    if ((int64_t)item.x < 8ll) {
        const int i = item.x;
        mine = 10 * i;
        s[i] = i;
    }
    __syncthreads();
    if ((int64_t)item.x < 4ll) {
        const int i = item.x;
        mine = s[i];
    }
    __syncthreads();
    if ((int64_t)item.x < 8ll) {
        const int i = item.x;
        out[i] = mine;
    }
}

extern "C" __global__ void __launch_bounds__(8) sizes_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sizes_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
