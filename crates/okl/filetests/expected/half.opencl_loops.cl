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

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
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

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

__constant ushort weights[3] = {0x2e66, 0x4000, 0x7bff};

static inline ushort twice(ushort x) {
    return okl_half_of_float(2.0f * okl_float_of_half(x));
}

static inline void raise(__global ushort *x, int by) {
    x[0] = okl_half_of_float(okl_float_of_half(x[0]) + by);
}

static inline void axpy_0_groups(const int n, const ushort a, __global const ushort *x, __global ushort *y, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        y[i] = okl_half_of_float(okl_float_of_half(a) * okl_float_of_half(x[i]) + okl_float_of_half(y[i]));
    }
}

typedef struct { long x_start, y_start, dims[6], stretch; } axpy_0_launch;

__kernel void axpy_0(const int n, const ushort a, __global const ushort *x_buffer, __global ushort *y_buffer, const axpy_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    axpy_0_groups(n, a, x_buffer + launch.x_start, y_buffer + launch.y_start, begin, end);
}

static inline void rounds_0_groups(__global const float *x, __global const double *d, __global const int *k, __global ushort *of, __global ushort *od, __global ushort *ok, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            of[i] = okl_half_of_float(x[i]);
            od[i] = okl_half_of_double(d[i]);
            ok[i] = okl_half_of_float(k[i]);
        }
    }
}

typedef struct { long x_start, d_start, k_start, of_start, od_start, ok_start, dims[6], stretch; } rounds_0_launch;

__kernel void rounds_0(__global const float *x_buffer, __global const double *d_buffer, __global const int *k_buffer, __global ushort *of_buffer, __global ushort *od_buffer, __global ushort *ok_buffer, const rounds_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    rounds_0_groups(x_buffer + launch.x_start, d_buffer + launch.d_start, k_buffer + launch.k_start, of_buffer + launch.of_start, od_buffer + launch.od_start, ok_buffer + launch.ok_start, begin, end);
}

static inline void operators_0_groups(const ushort a, const ushort b, __global float *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        if (okl_float_of_half(b) != 0.0f) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 1; ++i) {
                ushort h = a;
                const ushort none = okl_half_of_float(-okl_float_of_half(b));
                out[0] = -okl_float_of_half(a);
                out[1] = okl_float_of_half(a);
                out[2] = okl_float_of_half(b);
                out[3] = okl_float_of_half(a) < okl_float_of_half(b);
                out[4] = !(okl_float_of_half(b) != 0.0f);
                out[5] = okl_float_of_half(b) != 0.0f && okl_float_of_half(a) != 0.0f;
                out[6] = okl_float_of_half(none) == okl_float_of_half(b);
                out[7] = 2.0f;
                out[8] = (int)okl_float_of_half(a);
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
        } else {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 1; ++i) {
                ushort h = a;
                const ushort none = okl_half_of_float(-okl_float_of_half(b));
                out[0] = -okl_float_of_half(a);
                out[1] = okl_float_of_half(a);
                out[2] = okl_float_of_half(a);
                out[3] = okl_float_of_half(a) < okl_float_of_half(b);
                out[4] = !(okl_float_of_half(b) != 0.0f);
                out[5] = okl_float_of_half(b) != 0.0f && okl_float_of_half(a) != 0.0f;
                out[6] = okl_float_of_half(none) == okl_float_of_half(b);
                out[7] = 2.0f;
                out[8] = (int)okl_float_of_half(a);
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
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } operators_0_launch;

__kernel void operators_0(const ushort a, const ushort b, __global float *out_buffer, const operators_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    operators_0_groups(a, b, out_buffer + launch.out_start, begin, end);
}

static inline void places_0_groups(const Sample s, __global const ushort *x, __global Sample *p, __global ushort *y, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        ushort tile[4];
        ushort mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            tile[i] = x[i];
            mine[i] = twice(x[i]);
        }
        for (int i = 0; i < 1; ++i) {
            ushort local_1[3] = {weights[1], s.pair[0]};
            local_1[2] = okl_half_of_float(okl_float_of_half(tile[3 - i]) + okl_float_of_half(mine[i]));
            y[i] = okl_half_of_float(okl_float_of_half(local_1[1]) * okl_float_of_half(local_1[2]) + s.count);
            p[i].count += i;
            ++p[i].count;
            p[i].last = okl_half_of_float(okl_float_of_half(p[i].last) + 1.0f);
            p[i].pair[1] = okl_half_of_double(okl_float_of_half(p[i].pair[1]) + i + okl_float_of_half(s.pair[1]) - 0.5);
        }
        for (int i = 1; i < 4; ++i) {
            ushort local_1[3] = {weights[1], s.pair[0]};
            local_1[2] = okl_half_of_float(okl_float_of_half(tile[3 - i]) + okl_float_of_half(mine[i]));
            y[i] = okl_half_of_float(okl_float_of_half(local_1[1]) * okl_float_of_half(local_1[2]) + s.count);
            p[i].count += i;
            ++p[i].count;
            p[i].last = okl_half_of_float(okl_float_of_half(p[i].last) + 1.0f);
            p[i].pair[1] = okl_half_of_double(okl_float_of_half(p[i].pair[1]) + i + okl_float_of_half(s.pair[1]) - 0.5);
            raise(&p[i].pair[0], 1);
        }
    }
}

typedef struct { long x_start, p_start, y_start, dims[6], stretch; } places_0_launch;

__kernel void places_0(const Sample s, __global const ushort *x_buffer, __global Sample *p_buffer, __global ushort *y_buffer, const places_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    places_0_groups(s, x_buffer + launch.x_start, p_buffer + launch.p_start, y_buffer + launch.y_start, begin, end);
}

static inline void halves_0_groups(const int n, const ushort least, __global ushort *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < n; ++i) {
            for (ushort h = x[i]; okl_float_of_half(h) > okl_float_of_half(least); h = okl_half_of_float(okl_float_of_half(h) - 1.0f)) {
                x[i] = okl_half_of_float(okl_float_of_half(x[i]) > 1.0f ? okl_float_of_half(x[i]) - okl_float_of_half(least) : okl_float_of_half(x[i]));
                if (okl_float_of_half(h) < 2.5) {
                    break;
                }
            }
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } halves_0_launch;

__kernel void halves_0(const int n, const ushort least, __global ushort *x_buffer, const halves_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    halves_0_groups(n, least, x_buffer + launch.x_start, begin, end);
}
