// OpenCL C, made from OKL.
// @kernel k: k_0
// @kernel first: first_0
// @kernel chosen: chosen_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

typedef struct kernel_1 {
    int local_1;
    int fn;
    int get;
} kernel_1;
OKL_HOLDS(sizeof(kernel_1) == 12, "size of kernel_1");
OKL_HOLDS(__builtin_offsetof(kernel_1, local_1) == 0, "offset of kernel_1.local_1");
OKL_HOLDS(__builtin_offsetof(kernel_1, fn) == 4, "offset of kernel_1.fn");
OKL_HOLDS(__builtin_offsetof(kernel_1, get) == 8, "offset of kernel_1.get");

static inline int okl_max_int(int a, int b) {
    return a > b ? a : b;
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline int v_okl_min_i32(__global const int *at, int dims) {
    return at[dims];
}

static inline int k_0_1(int begin) {
    return begin + 1;
}

static inline void k_0_groups(__global const int *u, const int u_start, const int first_x, const int end_x, __global const int *args, const int group, const int item, __global int *v, const long begin, const long end) {
    const long i_end = end * 2;
    for (int i = begin * 2; i < i_end; ++i) {
        kernel_1 let;
        let.local_1 = v_okl_min_i32(args, i);
        let.fn = group;
        let.get = item;
        v[i] = u[i] + u_start + first_x + end_x + let.local_1 + let.fn + let.get - k_0_1(0) + 1 - 0;
    }
}

typedef struct { long u_start, args_start, v_start, dims[6], stretch; } k_0_launch;

__kernel void k_0(__global const int *u_buffer, const int u_start, const int first_x, const int end_x, __global const int *args_buffer, const int group, const int item, __global int *v_buffer, const k_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    k_0_groups(u_buffer + launch.u_start, u_start, first_x, end_x, args_buffer + launch.args_start, group, item, v_buffer + launch.v_start, begin, end);
}

static inline void first_0_groups(const int n, __global const int *fn, const int v_okl_max_i32, __global int *loop, const long begin, const long end) {
    const long next_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int next = begin * 2; next < next_end; ++next) {
        loop[next] = okl_max_int(fn[next], v_okl_max_i32);
    }
}

typedef struct { long fn_start, loop_start, dims[6], stretch; } first_0_launch;

__kernel void first_0(const int n, __global const int *fn_buffer, const int v_okl_max_i32, __global int *loop_buffer, const first_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    first_0_groups(n, fn_buffer + launch.fn_start, v_okl_max_i32, loop_buffer + launch.loop_start, begin, end);
}

static inline void chosen_0_groups(const int n, __global const double *double2_1, __global double *out, const long begin, const long end_1) {
    const long end_end = okl_min_long(end_1 * 2, n);
    OKL_INDEPENDENT
    for (int end = begin * 2; end < end_end; ++end) {
        const double x = double2_1[end];
        out[end] = x != 0.0 ? 1.0 : 2.0;
    }
}

typedef struct { long double2_1_start, out_start, dims[6], stretch; } chosen_0_launch;

__kernel void chosen_0(const int n, __global const double *double2_1_buffer, __global double *out_buffer, const chosen_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end_1 = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    chosen_0_groups(n, double2_1_buffer + launch.double2_1_start, out_buffer + launch.out_start, begin, end_1);
}
