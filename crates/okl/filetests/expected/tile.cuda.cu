// CUDA C++, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

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

static __device__ __forceinline__ void add_0_group(const int n, const float *a, const float *b, float *ab, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        ab[i] = a[i] + b[i];
    }
}

extern "C" __global__ void __launch_bounds__(4) add_0(const int n, const float *a, const float *b, float *ab, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    add_0_group(n, a, b, ab, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) add_0_coarsened(const int n, const float *a, const float *b, float *ab, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const float value = a[i] + b[i];
        const float value_next = a[i_next] + b[i_next];
        ab[i] = value;
        ab[i_next] = value_next;
    } else {
        add_0_group(n, a, b, ab, group, item);
        if (next.x < end) {
            add_0_group(n, a, b, ab, next, item);
        }
    }
}

static __device__ __forceinline__ void from_0_group(const int lo, const int hi, int *out, const okl_group group, const okl_item item) {
    const int i_block = lo + (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < hi) {
        out[i] = i;
    }
}

extern "C" __global__ void __launch_bounds__(4) from_0(const int lo, const int hi, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    from_0_group(lo, hi, out, group, okl_item{threadIdx.x, 0, 0});
}
