// CUDA C++, made from OKL.
// @kernel one_each: one_each_0
// @kernel single: single_0

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

static __device__ inline float okl_rsqrt_f32(float a) {
    return 1.0f / sqrtf(a);
}

static __device__ inline double okl_rsqrt_f64(double a) {
    return 1.0 / sqrt(a);
}

static __device__ __forceinline__ void one_each_0_group(const double x, double *out, const okl_group group, const okl_item item) {
    out[0] = exp(x);
    out[1] = exp2(x);
    out[2] = expm1(1e-5 + (x - 0.5));
    out[3] = log(2.5 + (x - 0.5));
    out[4] = log2(10.0 + (x - 0.5));
    out[5] = log10(50.0 + (x - 0.5));
    out[6] = log1p(1e-5 + (x - 0.5));
    out[7] = sin(x);
    out[8] = cos(x);
    out[9] = tan(x);
    out[10] = asin(x);
    out[11] = acos(x);
    out[12] = atan(x);
    out[13] = sinh(x);
    out[14] = cosh(x);
    out[15] = tanh(x);
    out[16] = asinh(x);
    out[17] = acosh(1.5 + (x - 0.5));
    out[18] = atanh(x);
    out[19] = erf(x);
    out[20] = erfc(x);
    out[21] = cbrt(2.0 + (x - 0.5));
    out[22] = tgamma(4.5 + (x - 0.5));
    out[23] = lgamma(4.5 + (x - 0.5));
    out[24] = pow(1.0 + x, 2.0 + x);
    out[25] = atan2(0.5 + x, -1.5 - x);
    out[26] = hypot(2.5 + x, 4.0 + x);
    out[27] = okl_rsqrt_f64(1.5 + x);
}

extern "C" __global__ void __launch_bounds__(1) one_each_0(const double x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    one_each_0_group(x, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void single_0_group(const float x, float *out, const okl_group group, const okl_item item) {
    out[0] = expf(x);
    out[1] = logf(x);
    out[2] = sinf(x);
    out[3] = cosf(x);
    out[4] = tanhf(x);
    out[5] = powf(x, 0.25f);
    out[6] = atan2f(x, -1.0f);
    out[7] = okl_rsqrt_f32(x);
}

extern "C" __global__ void __launch_bounds__(1) single_0(const float x, float *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    single_0_group(x, out, group, okl_item{0, 0, 0});
}
