// OpenCL C, made from OKL.
// @kernel extremes: extremes_0
// @kernel floats: floats_0
// @kernel through_function: through_function_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

static inline int okl_atomic_add_int_global(__global int *at, int value) {
    return atomic_add(at, value);
}

static inline uint okl_atomic_exchange_uint_global(__global uint *at, uint value) {
    return atomic_xchg(at, value);
}

static inline double okl_atomic_max_double_global(__global double *at, double value) {
    volatile __global ulong *const word = (volatile __global ulong *)at;
    ulong seen = *word, expected;
    double old, next;
    do {
        expected = seen;
        old = as_double(seen);
        next = value > old ? value : old;
        seen = atom_cmpxchg(word, expected, as_ulong(next));
    } while (seen != expected);
    return old;
}

static inline long okl_atomic_max_long_global(__global long *at, long value) {
    return atom_max(at, value);
}

static inline float okl_atomic_min_float_global(__global float *at, float value) {
    volatile __global uint *const word = (volatile __global uint *)at;
    uint seen = *word, expected;
    float old, next;
    do {
        expected = seen;
        old = as_float(seen);
        next = value < old ? value : old;
        seen = atomic_cmpxchg(word, expected, as_uint(next));
    } while (seen != expected);
    return old;
}

static inline int okl_atomic_min_int_global(__global int *at, int value) {
    return atomic_min(at, value);
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void report_fault(long index, ulong length, uint place, uint group_x, uint item_x, __global uint *restrict faults) {
    uint before;
    before = okl_atomic_exchange_uint_global(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = (uint)index;
        faults[3] = (uint)(index >> 32);
        faults[4] = (uint)length;
        faults[5] = (uint)(length >> 32);
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline bool is_in_range(long index, ulong length, uint place, uint group_x, uint item_x, __global uint *restrict faults) {
    if ((ulong)index < length) {
        return true;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return false;
}

static inline void count(__global int *counts, int at, long counts_first, long counts_length, uint group_x, uint item_x, __global uint *restrict faults) {
    {
        const long at_1 = counts_first + at;
        if (is_in_range(at_1, counts_length, 0, group_x, item_x, faults)) {
            okl_atomic_add_int_global(&counts[at_1], 1);
        }
    }
}

static inline void extremes_0_groups(const int n, __global const int *x, __global int *lo, __global long *hi, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_min_int_global(&lo[0], x[i]);
        okl_atomic_max_long_global(&hi[0], (long)x[i]);
    }
}

typedef struct { long x_start, lo_start, hi_start, dims[6], stretch; } extremes_0_launch;

__kernel void extremes_0(const int n, __global const int *x_buffer, __global int *lo_buffer, __global long *hi_buffer, const extremes_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    extremes_0_groups(n, x_buffer + launch.x_start, lo_buffer + launch.lo_start, hi_buffer + launch.hi_start, begin, end);
}

static inline void floats_0_groups(const int n, __global const float *x, __global float *lo, __global double *hi, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        okl_atomic_min_float_global(&lo[0], x[i]);
        okl_atomic_max_double_global(&hi[0], (double)x[i]);
    }
}

typedef struct { long x_start, lo_start, hi_start, dims[6], stretch; } floats_0_launch;

__kernel void floats_0(const int n, __global const float *x_buffer, __global float *lo_buffer, __global double *hi_buffer, const floats_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    floats_0_groups(n, x_buffer + launch.x_start, lo_buffer + launch.lo_start, hi_buffer + launch.hi_start, begin, end);
}

static inline void through_function_0_groups(const int n, __global const int *x, __global int *counts, __global uint *restrict faults, const long counts_length, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int i_block = group * 2;
        const long i_end = okl_min_long(i_block + 2, n);
        for (int i = i_block; i < i_end; ++i) {
            count(counts, x[i], 0, counts_length, (long)i_block / 2, (long)i - i_block, faults);
        }
    }
}

typedef struct { long x_start, counts_start, faults_start, dims[6], stretch; } through_function_0_launch;

__kernel void through_function_0(const int n, __global const int *x_buffer, __global int *counts_buffer, __global uint *restrict faults_buffer, const long counts_length, const through_function_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    through_function_0_groups(n, x_buffer + launch.x_start, counts_buffer + launch.counts_start, faults_buffer + launch.faults_start, counts_length, begin, end);
}
