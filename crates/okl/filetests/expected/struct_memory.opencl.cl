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

static inline double total(Outer s) {
    double sum = s.tag;
    for (int k = 0; k < 2; ++k) {
        sum += s.pairs[k].a + s.pairs[k].b;
    }
    return sum;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void tally_0(const int n, __global const double *x_buffer, const long x_start, __global Tally *t_buffer, const long t_start, const long3 first) {
    __global const double *x = x_buffer + x_start;
    __global Tally *t = t_buffer + t_start;
    const long group_x = first.x + (long)get_group_id(0);
    const int i_block = (int)group_x * 2;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        okl_atomic_add_int_global(&t[0].count, 1);
        okl_atomic_add_double_global(&t[0].sum, x[i]);
        okl_atomic_max_long_global(&t[0].most, convert_long_sat_rtz(x[i]));
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void by_value_0(__global const Outer *o_buffer, const long o_start, const Outer s, __global double *out_buffer, const long out_start, const long3 first) {
    __global const Outer *o = o_buffer + o_start;
    __global double *out = out_buffer + out_start;
    Outer mine = s;
    mine.pairs[1].b = 19.0;
    out[0] = total(s) + total(o[0]) - total(o[0]);
    out[1] = total(mine);
}
