// OpenCL C, made from OKL.
// @kernel axpy: axpy_0
// @kernel rounds: rounds_0
// @kernel operators: operators_0
// @kernel places: places_0
// @kernel halves: halves_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct Sample {
    ushort value;
    int count;
    ushort pair[2];
    ushort last;
} Sample;
OKL_HOLDS(sizeof(Sample) == 16, "size of Sample");
OKL_HOLDS(__builtin_offsetof(Sample, value) == 0, "offset of Sample.value");
OKL_HOLDS(__builtin_offsetof(Sample, count) == 4, "offset of Sample.count");
OKL_HOLDS(__builtin_offsetof(Sample, pair) == 8, "offset of Sample.pair");
OKL_HOLDS(__builtin_offsetof(Sample, last) == 12, "offset of Sample.last");

static inline float okl_float_of_half(ushort value) {
#if defined(__clang__) && defined(__F16C__)
    return __builtin_load_halff((const __private half *)&value);
#else
    return vload_half(0, (const __private half *)&value);
#endif
}

static inline ushort okl_half_of_double(double value) {
    ushort bits;
    vstore_half_rte(value, 0, (__private half *)&bits);
    return bits;
}

static inline ushort okl_half_of_float(float value) {
    ushort bits;
#if defined(__clang__) && defined(__F16C__)
    __builtin_store_halff(value, (__private half *)&bits);
#else
    vstore_half_rte(value, 0, (__private half *)&bits);
#endif
    return bits;
}

__constant ushort weights[3] = {0x2e66, 0x4000, 0x7bff};

static inline ushort twice(ushort x) {
    return okl_half_of_float(2.0f * okl_float_of_half(x));
}

static inline void raise(__global ushort *x, int by) {
    x[0] = okl_half_of_float(okl_float_of_half(x[0]) + by);
}

static inline void axpy_0_group(int n, ushort a, __global const ushort *x, __global ushort *y, const long group_x, const long group_y, const long group_z) {
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    if (i < n) {
        y[i] = okl_half_of_float(okl_float_of_half(a) * okl_float_of_half(x[i]) + okl_float_of_half(y[i]));
    }
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void axpy_0(const int n, const ushort a, __global const ushort *x_buffer, const long x_start, __global ushort *y_buffer, const long y_start, const long3 first, const long end) {
    __global const ushort *x = x_buffer + x_start;
    __global ushort *y = y_buffer + y_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int i_block = (int)group_x * 4;
    const int i = i_block + (int)get_local_id(0);
    const int i_block_next = (int)next_x * 4;
    const int i_next = i_block_next + (int)get_local_id(0);
    if (next_x < end && i < n && i_next < n) {
        const ushort value = okl_half_of_float(okl_float_of_half(a) * okl_float_of_half(x[i]) + okl_float_of_half(y[i]));
        const ushort value_next = okl_half_of_float(okl_float_of_half(a) * okl_float_of_half(x[i_next]) + okl_float_of_half(y[i_next]));
        y[i] = value;
        y[i_next] = value_next;
    } else {
        axpy_0_group(n, a, x, y, group_x, group_y, group_z);
        if (next_x < end) {
            axpy_0_group(n, a, x, y, next_x, group_y, group_z);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void rounds_0(__global const float *x_buffer, const long x_start, __global const double *d_buffer, const long d_start, __global const int *k_buffer, const long k_start, __global ushort *of_buffer, const long of_start, __global ushort *od_buffer, const long od_start, __global ushort *ok_buffer, const long ok_start, const long3 first) {
    __global const float *x = x_buffer + x_start;
    __global const double *d = d_buffer + d_start;
    __global const int *k = k_buffer + k_start;
    __global ushort *of = of_buffer + of_start;
    __global ushort *od = od_buffer + od_start;
    __global ushort *ok = ok_buffer + ok_start;
    const int i = (int)get_local_id(0);
    of[i] = okl_half_of_float(x[i]);
    od[i] = okl_half_of_double(d[i]);
    ok[i] = okl_half_of_float(k[i]);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void operators_0(const ushort a, const ushort b, __global float *out_buffer, const long out_start, const long3 first) {
    __global float *out = out_buffer + out_start;
    ushort h = a;
    const ushort none = okl_half_of_float(-okl_float_of_half(b));
    out[0] = -okl_float_of_half(a);
    out[1] = okl_float_of_half(a);
    out[2] = okl_float_of_half(b) != 0.0f ? okl_float_of_half(b) : okl_float_of_half(a);
    out[3] = okl_float_of_half(a) < okl_float_of_half(b);
    out[4] = !(okl_float_of_half(b) != 0.0f);
    out[5] = okl_float_of_half(b) != 0.0f && okl_float_of_half(a) != 0.0f;
    out[6] = okl_float_of_half(none) == okl_float_of_half(b);
    out[7] = 2.0f;
    out[8] = convert_int_sat_rtz(okl_float_of_half(a));
    out[9] = sqrt(-okl_float_of_half(a));
    out[10] = fabs(okl_float_of_half(h));
    h = okl_half_of_float(okl_float_of_half(h) + 1.0f);
    out[11] = okl_float_of_half(h);
    h = okl_half_of_double(okl_float_of_half(h) * -4.0);
    h = okl_half_of_float(okl_float_of_half(h) + 1.0f);
    out[12] = okl_float_of_half(h);
    if (okl_float_of_half(none) != 0.0f) {
        out[13] = 1.0f;
    }
    out[14] = okl_float_of_half(h) != 0.0f;
    out[15] = fmax(okl_float_of_half(h), okl_float_of_half(weights[0])) + (okl_float_of_half(weights[2]) > 60000.0f ? 1 : 0);
}

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void places_0(const Sample s, __global const ushort *x_buffer, const long x_start, __global Sample *p_buffer, const long p_start, __global ushort *y_buffer, const long y_start, const long3 first) {
    __global const ushort *x = x_buffer + x_start;
    __global Sample *p = p_buffer + p_start;
    __global ushort *y = y_buffer + y_start;
    __local ushort tile[4];
    ushort mine;
    {
        const int i = (int)get_local_id(0);
        tile[i] = x[i];
        mine = twice(x[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    {
        const int i = (int)get_local_id(0);
        ushort local_1[3] = {weights[1], s.pair[0]};
        local_1[2] = okl_half_of_float(okl_float_of_half(tile[3 - i]) + okl_float_of_half(mine));
        y[i] = okl_half_of_float(okl_float_of_half(local_1[1]) * okl_float_of_half(local_1[2]) + s.count);
        p[i].count = (uint)p[i].count + i;
        p[i].count = (uint)p[i].count + 1;
        p[i].last = okl_half_of_float(okl_float_of_half(p[i].last) + 1.0f);
        p[i].pair[1] = okl_half_of_double(okl_float_of_half(p[i].pair[1]) + i + okl_float_of_half(s.pair[1]) - 0.5);
        if (i > 0) {
            raise(&p[i].pair[0], 1);
        }
    }
}

__kernel void halves_0(const ushort least, __global ushort *x_buffer, const long x_start, const long3 first) {
    __global ushort *x = x_buffer + x_start;
    const int i = (int)get_local_id(0);
    for (ushort h = x[i]; okl_float_of_half(h) > okl_float_of_half(least); h = okl_half_of_float(okl_float_of_half(h) - 1.0f)) {
        x[i] = okl_half_of_float(okl_float_of_half(x[i]) > 1.0f ? okl_float_of_half(x[i]) - okl_float_of_half(least) : okl_float_of_half(x[i]));
        if (okl_float_of_half(h) < 2.5) {
            break;
        }
    }
}
