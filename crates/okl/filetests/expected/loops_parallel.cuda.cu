// CUDA C++, made from OKL.
// @kernel down: down_0
// @kernel steps: steps_0
// @kernel inclusive: inclusive_0
// @kernel backward_steps: backward_steps_0
// @kernel wide: wide_0
// @kernel swapped: swapped_0

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

static __device__ __forceinline__ void down_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int o = n + (int)group.x * -1;
    const int i = (int)item.x * -1;
    out[n - o] = 10 * o + i;
}

extern "C" __global__ void __launch_bounds__(1) down_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    down_0_group(n, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void steps_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = 1 + (int)group.x * 3;
    const int i = 9 + (int)item.x * 2;
    if (o + i <= 16) {
        out[o] = o + i;
    }
}

extern "C" __global__ void __launch_bounds__(1) steps_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    steps_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void inclusive_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int i = item.x;
    out[2 * o + i] = 10 * o + i;
}

extern "C" __global__ void __launch_bounds__(2) inclusive_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    inclusive_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void backward_steps_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int o = n + (int)group.x * -3;
    out[o] = o;
}

extern "C" __global__ void __launch_bounds__(1) backward_steps_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    backward_steps_0_group(n, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void wide_0_group(uint32_t *out, const okl_group group, const okl_item item) {
    const int64_t o = group.x;
    const uint32_t i = item.x;
    out[2 * o + i] = (uint32_t)(2 * o) + i + 1;
}

extern "C" __global__ void __launch_bounds__(2) wide_0(uint32_t *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    wide_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void swapped_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int i = 5 + (int)item.x;
    out[o] = o + i;
}

extern "C" __global__ void __launch_bounds__(1) swapped_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    swapped_0_group(out, group, okl_item{0, 0, 0});
}
