// CUDA C++, made from OKL.
// @kernel double_precision: double_precision_0
// @kernel single_precision: single_precision_0
// @kernel integers: integers_0

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

static __device__ inline int okl_abs_i32(int a) {
    return a < 0 ? -a : a;
}

static __device__ inline int okl_max_i32(int a, int b) {
    return a > b ? a : b;
}

static __device__ inline uint32_t okl_max_u32(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static __device__ inline int okl_min_i32(int a, int b) {
    return a < b ? a : b;
}

static __device__ __forceinline__ void double_precision_0_group(const double *x, double *out, const okl_group group, const okl_item item) {
    out[0] = sqrt(x[0]);
    out[1] = fabs(x[1]);
    out[2] = floor(x[1]);
    out[3] = floor(x[2]);
    out[4] = ceil(x[1]);
    out[5] = round(x[1]);
    out[6] = ceil(x[2]);
    out[7] = trunc(x[1]);
    out[8] = rint(x[2]);
    out[9] = fmod(x[4], 3.0);
    out[10] = fmin(x[1], x[0]);
    out[11] = fmax(x[1], x[0]);
    out[12] = copysign(x[4], x[1]);
    out[13] = fma(x[0], x[2], 0.5);
    out[14] = isnan(x[0] / 0.0 - x[0] / 0.0);
    out[15] = isnan(x[0]);
    out[16] = isinf(x[0] / 0.0);
    out[17] = fmax(x[0], x[3]) + fmin(x[0], x[3]);
    out[18] = isfinite(1.0 / 0.0);
}

extern "C" __global__ void __launch_bounds__(1) double_precision_0(const double *x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    double_precision_0_group(x, out, group, okl_item{0, 0, 0});
}

extern "C" __global__ void __launch_bounds__(1) double_precision_0_pairs(const double *x, double *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {0, 0, 0};
    if (next.x < end) {
        const double value = sqrt(x[0]);
        const double value_next = sqrt(x[0]);
        out[0] = value;
        out[0] = value_next;
        const double value_1 = fabs(x[1]);
        const double value_1_next = fabs(x[1]);
        out[1] = value_1;
        out[1] = value_1_next;
        const double value_2 = floor(x[1]);
        const double value_2_next = floor(x[1]);
        out[2] = value_2;
        out[2] = value_2_next;
        const double value_3 = floor(x[2]);
        const double value_3_next = floor(x[2]);
        out[3] = value_3;
        out[3] = value_3_next;
        const double value_4 = ceil(x[1]);
        const double value_4_next = ceil(x[1]);
        out[4] = value_4;
        out[4] = value_4_next;
        const double value_5 = round(x[1]);
        const double value_5_next = round(x[1]);
        out[5] = value_5;
        out[5] = value_5_next;
        const double value_6 = ceil(x[2]);
        const double value_6_next = ceil(x[2]);
        out[6] = value_6;
        out[6] = value_6_next;
        const double value_7 = trunc(x[1]);
        const double value_7_next = trunc(x[1]);
        out[7] = value_7;
        out[7] = value_7_next;
        const double value_8 = rint(x[2]);
        const double value_8_next = rint(x[2]);
        out[8] = value_8;
        out[8] = value_8_next;
        const double value_9 = fmod(x[4], 3.0);
        const double value_9_next = fmod(x[4], 3.0);
        out[9] = value_9;
        out[9] = value_9_next;
        const double value_10 = fmin(x[1], x[0]);
        const double value_10_next = fmin(x[1], x[0]);
        out[10] = value_10;
        out[10] = value_10_next;
        const double value_11 = fmax(x[1], x[0]);
        const double value_11_next = fmax(x[1], x[0]);
        out[11] = value_11;
        out[11] = value_11_next;
        const double value_12 = copysign(x[4], x[1]);
        const double value_12_next = copysign(x[4], x[1]);
        out[12] = value_12;
        out[12] = value_12_next;
        const double value_13 = fma(x[0], x[2], 0.5);
        const double value_13_next = fma(x[0], x[2], 0.5);
        out[13] = value_13;
        out[13] = value_13_next;
        const double value_14 = isnan(x[0] / 0.0 - x[0] / 0.0);
        const double value_14_next = isnan(x[0] / 0.0 - x[0] / 0.0);
        out[14] = value_14;
        out[14] = value_14_next;
        const double value_15 = isnan(x[0]);
        const double value_15_next = isnan(x[0]);
        out[15] = value_15;
        out[15] = value_15_next;
        const double value_16 = isinf(x[0] / 0.0);
        const double value_16_next = isinf(x[0] / 0.0);
        out[16] = value_16;
        out[16] = value_16_next;
        const double value_17 = fmax(x[0], x[3]) + fmin(x[0], x[3]);
        const double value_17_next = fmax(x[0], x[3]) + fmin(x[0], x[3]);
        out[17] = value_17;
        out[17] = value_17_next;
        const double value_18 = isfinite(1.0 / 0.0);
        const double value_18_next = isfinite(1.0 / 0.0);
        out[18] = value_18;
        out[18] = value_18_next;
    } else {
        double_precision_0_group(x, out, group, item);
        if (next.x < end) {
            double_precision_0_group(x, out, next, item);
        }
    }
}

static __device__ __forceinline__ void single_precision_0_group(const float *x, float *out, const okl_group group, const okl_item item) {
    out[0] = sqrtf(x[0]);
    out[1] = fabsf(x[1]);
    out[2] = floorf(x[1]);
    out[3] = ceilf(x[1]);
    out[4] = fmaxf(x[0], x[1]);
    out[5] = fminf(x[0], x[1]);
    out[6] = fmaf(x[2], x[2], 0.5f);
    out[7] = fmodf(x[2], 1.0f);
}

extern "C" __global__ void __launch_bounds__(1) single_precision_0(const float *x, float *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    single_precision_0_group(x, out, group, okl_item{0, 0, 0});
}

extern "C" __global__ void __launch_bounds__(1) single_precision_0_pairs(const float *x, float *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {0, 0, 0};
    if (next.x < end) {
        const float value = sqrtf(x[0]);
        const float value_next = sqrtf(x[0]);
        out[0] = value;
        out[0] = value_next;
        const float value_1 = fabsf(x[1]);
        const float value_1_next = fabsf(x[1]);
        out[1] = value_1;
        out[1] = value_1_next;
        const float value_2 = floorf(x[1]);
        const float value_2_next = floorf(x[1]);
        out[2] = value_2;
        out[2] = value_2_next;
        const float value_3 = ceilf(x[1]);
        const float value_3_next = ceilf(x[1]);
        out[3] = value_3;
        out[3] = value_3_next;
        const float value_4 = fmaxf(x[0], x[1]);
        const float value_4_next = fmaxf(x[0], x[1]);
        out[4] = value_4;
        out[4] = value_4_next;
        const float value_5 = fminf(x[0], x[1]);
        const float value_5_next = fminf(x[0], x[1]);
        out[5] = value_5;
        out[5] = value_5_next;
        const float value_6 = fmaf(x[2], x[2], 0.5f);
        const float value_6_next = fmaf(x[2], x[2], 0.5f);
        out[6] = value_6;
        out[6] = value_6_next;
        const float value_7 = fmodf(x[2], 1.0f);
        const float value_7_next = fmodf(x[2], 1.0f);
        out[7] = value_7;
        out[7] = value_7_next;
    } else {
        single_precision_0_group(x, out, group, item);
        if (next.x < end) {
            single_precision_0_group(x, out, next, item);
        }
    }
}

static __device__ __forceinline__ void integers_0_group(const int a, const int b, const uint32_t u, int *out, const okl_group group, const okl_item item) {
    out[0] = okl_abs_i32(a);
    out[1] = okl_min_i32(a, b);
    out[2] = okl_max_i32(a, b);
    out[3] = okl_max_u32(u, 3);
    out[4] = okl_abs_i32(a) > b ? okl_abs_i32(a) : b;
    out[5] = okl_min_i32(b, a);
}

extern "C" __global__ void __launch_bounds__(1) integers_0(const int a, const int b, const uint32_t u, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    integers_0_group(a, b, u, out, group, okl_item{0, 0, 0});
}
