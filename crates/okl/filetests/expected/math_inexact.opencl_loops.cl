// OpenCL C, made from OKL.
// @kernel one_each: one_each_0
// @kernel single: single_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline double okl_rsqrt_double(double a) {
    return 1.0 / sqrt(a);
}

static inline float okl_rsqrt_float(float a) {
    return 1.0f / sqrt(a);
}

static inline void one_each_0_groups(const double x, __global double *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
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
            out[27] = okl_rsqrt_double(1.5 + x);
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } one_each_0_launch;

__kernel void one_each_0(const double x, __global double *out_buffer, const one_each_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    one_each_0_groups(x, out_buffer + launch.out_start, begin, end);
}

static inline void single_0_groups(const float x, __global float *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = exp(x);
            out[1] = log(x);
            out[2] = sin(x);
            out[3] = cos(x);
            out[4] = tanh(x);
            out[5] = pow(x, 0.25f);
            out[6] = atan2(x, -1.0f);
            out[7] = okl_rsqrt_float(x);
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } single_0_launch;

__kernel void single_0(const float x, __global float *out_buffer, const single_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    single_0_groups(x, out_buffer + launch.out_start, begin, end);
}
