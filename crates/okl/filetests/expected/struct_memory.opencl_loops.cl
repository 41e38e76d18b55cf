// OpenCL C, made from OKL.
// @kernel tally: tally_0
// @kernel by_value: by_value_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct Tally {
    int count;
    double sum;
    long most;
} Tally;
OKL_HOLDS(sizeof(Tally) == 24, "size of Tally");
OKL_HOLDS(__builtin_offsetof(Tally, count) == 0, "offset of Tally.count");
OKL_HOLDS(__builtin_offsetof(Tally, sum) == 8, "offset of Tally.sum");
OKL_HOLDS(__builtin_offsetof(Tally, most) == 16, "offset of Tally.most");

typedef struct Pair {
    int a;
    double b;
} Pair;
OKL_HOLDS(sizeof(Pair) == 16, "size of Pair");
OKL_HOLDS(__builtin_offsetof(Pair, a) == 0, "offset of Pair.a");
OKL_HOLDS(__builtin_offsetof(Pair, b) == 8, "offset of Pair.b");

typedef struct Outer {
    Pair pairs[2];
    char tag;
} Outer;
OKL_HOLDS(sizeof(Outer) == 40, "size of Outer");
OKL_HOLDS(__builtin_offsetof(Outer, pairs) == 0, "offset of Outer.pairs");
OKL_HOLDS(__builtin_offsetof(Outer, tag) == 32, "offset of Outer.tag");

static inline double okl_atomic_add_double_global(__global double *at, double value) {
    volatile __global ulong *const word = (volatile __global ulong *)at;
    ulong seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = as_double(seen);
        next = old + value;
        seen = atom_cmpxchg(word, expected, as_ulong(next));
    } while (seen != expected);
    return old;
}

static inline int okl_atomic_add_int_global(__global int *at, int value) {
    return atomic_add(at, value);
}

static inline long okl_atomic_max_long_global(__global long *at, long value) {
    return atom_max(at, value);
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline double total(Outer s) {
    double sum = s.tag;
    for (int k = 0; k < 2; ++k) {
        sum += s.pairs[k].a + s.pairs[k].b;
    }
    return sum;
}

static inline void tally_0_groups(const int n, __global const double *x, __global Tally *t, const long begin, const long end) {
    const long i_end = okl_min_long(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        okl_atomic_add_int_global(&t[0].count, 1);
        okl_atomic_add_double_global(&t[0].sum, x[i]);
        okl_atomic_max_long_global(&t[0].most, (long)x[i]);
    }
}

typedef struct { long x_start, t_start, dims[6], stretch; } tally_0_launch;

__kernel void tally_0(const int n, __global const double *x_buffer, __global Tally *t_buffer, const tally_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    tally_0_groups(n, x_buffer + launch.x_start, t_buffer + launch.t_start, begin, end);
}

static inline void by_value_0_groups(__global const Outer *o, const Outer s, __global double *out, const long begin, const long end) {
    for (int g = begin; g < end; ++g) {
        for (int i = 0; i < 1; ++i) {
            Outer mine = s;
            mine.pairs[1].b = 19.0;
            out[0] = total(s) + total(o[0]) - total(o[0]);
            out[1] = total(mine);
        }
    }
}

typedef struct { long o_start, out_start, dims[6], stretch; } by_value_0_launch;

__kernel void by_value_0(__global const Outer *o_buffer, const Outer s, __global double *out_buffer, const by_value_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    by_value_0_groups(o_buffer + launch.o_start, s, out_buffer + launch.out_start, begin, end);
}
