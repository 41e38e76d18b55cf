// OpenCL C, made from OKL.
// @kernel waves: waves_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void waves_0_groups(const int n, __global const double *x, __global double *y, __global float *z, const long begin, const long end) {
    const long i_end = okl_min_long(end * 32, n);
    OKL_INDEPENDENT
    for (int i = begin * 32; i < i_end; ++i) {
        const double angle = 0.37 * x[i] - 40.0;
        y[i] = exp(0.05 * angle) * cos(angle) + sin(3.0 * angle) + log(1.0 + x[i]);
        z[i] = 1.0f;
    }
}

typedef struct { long x_start, y_start, z_start, dims[6], stretch; } waves_0_launch;

__kernel void waves_0(const int n, __global const double *x_buffer, __global double *y_buffer, __global float *z_buffer, const waves_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    waves_0_groups(n, x_buffer + launch.x_start, y_buffer + launch.y_start, z_buffer + launch.z_start, begin, end);
}
