// CUDA C++, made from OKL.
// @kernel floats: floats_0
// @kernel doubles: doubles_0
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

static __device__ inline uint64_t okl_bits_of_f64(double a) {
    return (uint64_t)__double_as_longlong(a);
}

static __device__ inline double okl_f64_of_bits(uint64_t a) {
    return __longlong_as_double((long long)a);
}

static __device__ __forceinline__ void floats_0_group(const float *x, uint32_t *u, int *i, float *back, const okl_group group, const okl_item item) {
    const int t = item.x;
    u[t] = __float_as_uint(x[t]);
    i[t] = __float_as_uint(x[t]) + 1;
    back[t] = t == 3 ? __uint_as_float((uint32_t)((int)__float_as_uint(x[t]) ^ INT32_MIN)) : __uint_as_float(__float_as_uint(x[t]) + t) + __uint_as_float(__float_as_uint(x[t]));
}

extern "C" __global__ void __launch_bounds__(4) floats_0(const float *x, uint32_t *u, int *i, float *back, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    floats_0_group(x, u, i, back, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void doubles_0_group(const double *x, uint64_t *u, double *back, const okl_group group, const okl_item item) {
    const int t = item.x;
    u[t] = okl_bits_of_f64(x[t]);
    back[t] = t == 0 ? okl_f64_of_bits((int64_t)okl_bits_of_f64(x[t]) ^ INT64_MIN) : okl_f64_of_bits(u[t] ^ 9223372036854775808ull);
}

extern "C" __global__ void __launch_bounds__(2) doubles_0(const double *x, uint64_t *u, double *back, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    doubles_0_group(x, u, back, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void constants_0_group(float *out, const okl_group group, const okl_item item) {
    const int t = item.x;
    out[t] = t == 0 ? 1.5f : t == 1 ? -INFINITY : t == 2 ? NAN : 3.5f;
}

extern "C" __global__ void __launch_bounds__(4) constants_0(float *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    constants_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
