// OpenCL C, made from OKL.
// @kernel ghosts: ghosts_0
// @kernel in_place: in_place_0
// @kernel two_pointers: two_pointers_0
// @kernel changed: changed_0
// @kernel after_another: after_another_0

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

static inline long okl_max_long(long a, long b) {
    return a > b ? a : b;
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void ghosts_0_groups(const int n, __global const double *restrict u_prev, __global double *restrict u, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2 + 1, n + 1);
    OKL_INDEPENDENT
    for (int i = begin * 2 + 1; i < i_end; ++i) {
        const double here = u_prev[i];
        u[i] = here + 1.0;
    }
    if (begin * 2 + 1 <= 1 && 1 < n + 1) {
        const int i = 1;
        const double here = u_prev[i];
        u[n + 1] = here;
    }
    if (begin * 2 + 1 <= n && n < end * 2 + 1) {
        const int i = n;
        const double here = u_prev[i];
        u[0] = here;
    }
}

typedef struct { long u_prev_start, u_start, dims[6], stretch; } ghosts_0_launch;

__kernel void ghosts_0(const int n, __global const double *restrict u_prev_buffer, __global double *restrict u_buffer, const ghosts_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    ghosts_0_groups(n, u_prev_buffer + launch.u_prev_start, u_buffer + launch.u_start, begin, end);
}

static inline void in_place_0_groups(const int n, __global double *restrict u, __global double *restrict first, const long begin, const long end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int i = 0;
        const double here = u[i];
        u[i] = 2.0 * here;
        first[0] = here;
    }
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = okl_max_long(1, begin * 2); i < i_end; ++i) {
        const double here = u[i];
        u[i] = 2.0 * here;
    }
}

typedef struct { long u_start, first_start, dims[6], stretch; } in_place_0_launch;

__kernel void in_place_0(const int n, __global double *restrict u_buffer, __global double *restrict first_buffer, const in_place_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    in_place_0_groups(n, u_buffer + launch.u_start, first_buffer + launch.first_start, begin, end);
}

static inline void two_pointers_0_groups(const int n, __global const double *from, __global double *to, __global double *first, const long begin, const long end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int i = 0;
        const double here = from[i];
        to[i] = 2.0 * here;
        first[0] = here;
    }
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = okl_max_long(1, begin * 2); i < i_end; ++i) {
        const double here = from[i];
        to[i] = 2.0 * here;
    }
}

typedef struct { long from_start, to_start, first_start, dims[6], stretch; } two_pointers_0_launch;

__kernel void two_pointers_0(const int n, __global const double *from_buffer, __global double *to_buffer, __global double *first_buffer, const two_pointers_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    two_pointers_0_groups(n, from_buffer + launch.from_start, to_buffer + launch.to_start, first_buffer + launch.first_start, begin, end);
}

static inline void changed_0_groups(const int n, __global const double *restrict from, __global double *restrict to, __global double *restrict first, const long begin, const long end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int i = 0;
        double x = from[i];
        x += 1.0;
        const double here = x;
        to[i] = here;
        first[0] = here;
    }
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = okl_max_long(1, begin * 2); i < i_end; ++i) {
        double x = from[i];
        x += 1.0;
        const double here = x;
        to[i] = here;
    }
}

typedef struct { long from_start, to_start, first_start, dims[6], stretch; } changed_0_launch;

__kernel void changed_0(const int n, __global const double *restrict from_buffer, __global double *restrict to_buffer, __global double *restrict first_buffer, const changed_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    changed_0_groups(n, from_buffer + launch.from_start, to_buffer + launch.to_start, first_buffer + launch.first_start, begin, end);
}

static inline void after_another_0_groups(const int n, __global const double *restrict from, __global double *restrict to, __global double *restrict ends, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    OKL_INDEPENDENT
    for (int i = begin * 2; i < i_end; ++i) {
        const double here = from[i];
        to[i] = here;
    }
    if (begin * 2 <= 0 && 0 < n) {
        const int i = 0;
        const double here = from[i];
        ends[0] = here;
    }
    if (begin * 2 <= n - 1 && 1 <= n - 1 && n - 1 < end * 2) {
        const int i = n - 1;
        const double here = from[i];
        ends[1] = here;
    }
}

typedef struct { long from_start, to_start, ends_start, dims[6], stretch; } after_another_0_launch;

__kernel void after_another_0(const int n, __global const double *restrict from_buffer, __global double *restrict to_buffer, __global double *restrict ends_buffer, const after_another_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    after_another_0_groups(n, from_buffer + launch.from_start, to_buffer + launch.to_start, ends_buffer + launch.ends_start, begin, end);
}
