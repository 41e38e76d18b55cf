// CUDA C++, made from OKL.
// @kernel count: count_0
// @kernel where: where_0

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

static __device__ __forceinline__ void count_0_group(const int b, int *out, const okl_group group_1, const okl_item item) {
    const int o0 = group_1.x;
    const int o1 = group_1.y;
    const int o2 = group_1.z;
    const int i0 = item.x;
    const int i1 = item.y;
    const int i2 = item.z;
    const int group = (o2 * b + o1) * 2 + o0;
    ++out[group * 12 + (i2 * 2 + i1) * 2 + i0];
}

extern "C" __global__ void __launch_bounds__(12) count_0(const int b, int *out, const okl_group first) {
    const okl_group group_1 = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    count_0_group(b, out, group_1, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}

extern "C" __global__ void __launch_bounds__(12) count_0_pairs(const int b, int *out, const okl_group first, const int64_t end) {
    const okl_group group_1 = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group_1.x + 1, group_1.y, group_1.z};
    const okl_item item = {threadIdx.x, threadIdx.y, threadIdx.z};
    const int o0 = group_1.x;
    const int o1 = group_1.y;
    const int o2 = group_1.z;
    const int i0 = item.x;
    const int i1 = item.y;
    const int i2 = item.z;
    const int group = (o2 * b + o1) * 2 + o0;
    const int o0_next = next.x;
    const int o1_next = next.y;
    const int o2_next = next.z;
    const int i0_next = item.x;
    const int i1_next = item.y;
    const int i2_next = item.z;
    const int group_next = (o2_next * b + o1_next) * 2 + o0_next;
    if (next.x < end) {
        const int value = out[group * 12 + (i2 * 2 + i1) * 2 + i0] + 1;
        const int value_next = out[group_next * 12 + (i2_next * 2 + i1_next) * 2 + i0_next] + 1;
        out[group * 12 + (i2 * 2 + i1) * 2 + i0] = value;
        out[group_next * 12 + (i2_next * 2 + i1_next) * 2 + i0_next] = value_next;
    } else {
        count_0_group(b, out, group_1, item);
        if (next.x < end) {
            count_0_group(b, out, next, item);
        }
    }
}

static __device__ __forceinline__ void where_0_group(int *out, const okl_group group, const okl_item item) {
    const int x = group.x;
    const int y = group.y;
    const int i = item.x;
    const int j = item.y;
    out[((x * 2 + y) * 2 + i) * 2 + j] = 1000 * x + 100 * y + 10 * i + j;
}

extern "C" __global__ void __launch_bounds__(4) where_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    where_0_group(out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}
