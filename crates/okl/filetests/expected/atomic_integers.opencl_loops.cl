// OpenCL C, made from OKL.
// @kernel forms: forms_0
// @kernel histogram: histogram_0
// @kernel unsigned_long: unsigned_long_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline int okl_atomic_add_int_global(__global int *at, int value) {
    return atomic_add(at, value);
}

static inline int okl_atomic_add_int_private(__private int *at, int value) {
    const int old = *at;
    *at = old + value;
    return old;
}

static inline ulong okl_atomic_add_ulong_global(__global ulong *at, ulong value) {
    return atom_add(at, value);
}

static inline int okl_atomic_and_int_global(__global int *at, int value) {
    return atomic_and(at, value);
}

static inline int okl_atomic_exchange_int_global(__global int *at, int value) {
    return atomic_xchg(at, value);
}

static inline int okl_atomic_mul_int_global(__global int *at, int value) {
    volatile __global uint *const word = (volatile __global uint *)at;
    uint seen = *word, expected;
    int old, next;
    do {
        expected = seen;
        old = as_int(seen);
        next = old * value;
        seen = atomic_cmpxchg(word, expected, as_uint(next));
    } while (seen != expected);
    return old;
}

static inline int okl_atomic_or_int_global(__global int *at, int value) {
    return atomic_or(at, value);
}

static inline int okl_atomic_sub_int_global(__global int *at, int value) {
    return atomic_sub(at, value);
}

static inline int okl_atomic_xor_int_global(__global int *at, int value) {
    return atomic_xor(at, value);
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void forms_0_groups(const int n, __global int *a, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_add_int_global(&a[0], 1);
        okl_atomic_sub_int_global(&a[1], 2);
        okl_atomic_add_int_global(&a[2], 1);
        okl_atomic_sub_int_global(&a[3], 1);
        okl_atomic_mul_int_global(&a[4], 2);
        okl_atomic_and_int_global(&a[5], ~(1 << i));
        okl_atomic_or_int_global(&a[6], 1 << i);
        okl_atomic_xor_int_global(&a[7], 1 << i);
        okl_atomic_exchange_int_global(&a[8], 5);
    }
}

typedef struct { long a_start, dims[6], stretch; } forms_0_launch;

__kernel void forms_0(const int n, __global int *a_buffer, const forms_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    forms_0_groups(n, a_buffer + launch.a_start, begin, end);
}

static inline void histogram_0_groups(const int n, __global const int *x, __global int *bins, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int local_bins[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            local_bins[i] = 0;
        }
        const long i_end = okl_min_long(5, n - (long)o * 5);
        for (int i = 0; i < i_end; ++i) {
            okl_atomic_add_int_private(&local_bins[x[5 * o + i]], 1);
        }
        for (int i = 0; i < 4; ++i) {
            okl_atomic_add_int_global(&bins[i], local_bins[i]);
        }
    }
}

typedef struct { long x_start, bins_start, dims[6], stretch; } histogram_0_launch;

__kernel void histogram_0(const int n, __global const int *x_buffer, __global int *bins_buffer, const histogram_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    histogram_0_groups(n, x_buffer + launch.x_start, bins_buffer + launch.bins_start, begin, end);
}

static inline void unsigned_long_0_groups(const int n, __global ulong *a, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        okl_atomic_add_ulong_global(&a[0], 1);
    }
}

typedef struct { long a_start, dims[6], stretch; } unsigned_long_0_launch;

__kernel void unsigned_long_0(const int n, __global ulong *a_buffer, const unsigned_long_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    unsigned_long_0_groups(n, a_buffer + launch.a_start, begin, end);
}
