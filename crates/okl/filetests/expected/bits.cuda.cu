// CUDA C++, made from OKL.
// @kernel ints: ints_0
// @kernel words: words_0
// @kernel longs: longs_0
// @kernel small: small_0
// @kernel constants: constants_0

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

static __device__ inline uint32_t okl_clz_u32(uint32_t a) {
    return __clz(a);
}

static __device__ inline uint64_t okl_clz_u64(uint64_t a) {
    return __clzll(a);
}

static __device__ inline uint32_t okl_ctz_u32(uint32_t a) {
    return a == 0 ? 32 : __ffs(a) - 1;
}

static __device__ inline uint64_t okl_ctz_u64(uint64_t a) {
    return a == 0 ? 64 : __ffsll(a) - 1;
}

static __device__ inline uint32_t okl_popcount_u32(uint32_t a) {
    return __popc(a);
}

static __device__ inline uint64_t okl_popcount_u64(uint64_t a) {
    return __popcll(a);
}

static __device__ __forceinline__ void ints_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    out[i] = okl_popcount_u32(in[i]);
    out[5 + i] = okl_clz_u32(in[i]);
    out[10 + i] = okl_ctz_u32(in[i]);
    const uint32_t bits = in[i];
    out[15 + i] = bits == 0 ? 0 : (int)(okl_ctz_u32(bits) + 1);
}

extern "C" __global__ void __launch_bounds__(5) ints_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    ints_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void words_0_group(const uint32_t *in, int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    out[i] = okl_popcount_u32(in[i]);
    out[4 + i] = okl_clz_u32(in[i]);
    out[8 + i] = okl_ctz_u32(in[i]);
}

extern "C" __global__ void __launch_bounds__(4) words_0(const uint32_t *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    words_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void longs_0_group(const int64_t *in, int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    out[i] = okl_popcount_u64(in[i]);
    out[5 + i] = okl_clz_u64(in[i]);
    out[10 + i] = okl_ctz_u64(in[i]);
    const uint64_t bits = in[i];
    out[15 + i] = bits == 0 ? 0 : (int)((uint32_t)(int)okl_ctz_u64(bits) + 1);
}

extern "C" __global__ void __launch_bounds__(5) longs_0(const int64_t *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    longs_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void small_0_group(const int8_t *in, int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    out[i] = okl_popcount_u32(in[i]);
    out[4 + i] = okl_clz_u32(in[i]);
    out[8 + i] = okl_clz_u64(in[i]);
}

extern "C" __global__ void __launch_bounds__(4) small_0(const int8_t *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    small_0_group(in, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void constants_0_group(int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    out[i] = i == 0 ? 3 : i == 1 ? 29 : i == 2 ? 0 : 8;
}

extern "C" __global__ void __launch_bounds__(4) constants_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    constants_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
