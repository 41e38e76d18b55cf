// OpenCL C, made from OKL.
// @kernel guards: guards_0
// @kernel effects: effects_0
// @kernel choose: choose_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
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

static inline long okl_max_long(long a, long b) {
    return a > b ? a : b;
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline int bump(__private int *x, int by) {
    x[0] += by;
    return x[0];
}

static inline void guards_0_groups(const int n, __global const int *x, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(2, (long)n - 1);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        const int next = x[i + 1];
        if (next != 0 && 100 / next > 0) {
            out[i] = next;
        }
    }
    if (begin * 4 <= 2 && 2 < (long)n - 1) {
        const int i = 2;
        const int next = x[i + 1];
        if (next != 0 && 100 / next > 0) {
            out[i] = 100 / next;
        }
    }
    const long i_end_1 = okl_min_long(okl_min_long(101, end * 4), (long)n - 1);
    OKL_INDEPENDENT
    for (int i = okl_max_long(3, begin * 4); i < i_end_1; ++i) {
        const int next = x[i + 1];
        if (next != 0 && 100 / next > 0) {
            out[i] = next;
        }
    }
    const long i_end_2 = okl_min_long(end * 4, (long)n - 1);
    OKL_INDEPENDENT
    for (int i = okl_max_long(101, begin * 4); i < i_end_2; ++i) {
        const int next = x[i + 1];
        if ((next != 0 && 100 / next > 0) || true) {
            out[i] = next;
        }
    }
    OKL_INDEPENDENT
    for (int i = okl_max_long(begin * 4, (long)n - 1); i < 2; ++i) {
        const int next = 0;
        if (next != 0 && 100 / next > 0) {
            out[i] = next;
        }
    }
    if (begin * 4 <= 2 && (long)n - 1 <= 2) {
        const int i = 2;
        const int next = 0;
        if (next != 0 && 100 / next > 0) {
            out[i] = 100 / next;
        }
    }
    const long i_end_3 = okl_min_long(101, end * 4);
    OKL_INDEPENDENT
    for (int i = okl_max_long(okl_max_long(3, begin * 4), (long)n - 1); i < i_end_3; ++i) {
        const int next = 0;
        if (next != 0 && 100 / next > 0) {
            out[i] = next;
        }
    }
    const long i_end_4 = end * 4;
    OKL_INDEPENDENT
    for (int i = okl_max_long(okl_max_long(101, begin * 4), (long)n - 1); i < i_end_4; ++i) {
        const int next = 0;
        if ((next != 0 && 100 / next > 0) || true) {
            out[i] = next;
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } guards_0_launch;

__kernel void guards_0(const int n, __global const int *x_buffer, __global int *out_buffer, const guards_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    guards_0_groups(n, x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void effects_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int k = 0; k < 1; ++k) {
            int b = 0;
            bool holds = false;
            if (holds) {
                int result;
                result = bump(&b, 1);
                holds = result != 0;
            }
            if (holds) {
                b = 100;
            }
            out[0] = b;
            bool holds_1 = true;
            if (!holds_1) {
                int result_1;
                result_1 = bump(&b, 50);
                holds_1 = result_1 != 0;
            }
            if (holds_1) {
                ++b;
            }
            out[1] = b;
            int chosen;
            int result_2;
            result_2 = bump(&b, 1);
            chosen = result_2;
            out[2] = chosen;
            const int before = b;
            ++b;
            out[3] = before > 1 && b == 3;
            out[4] = b;
            int c;
            c = b * 2;
            out[5] = c > 5 ? c + c : 0;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } effects_0_launch;

__kernel void effects_0(__global int *out_buffer, const effects_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    effects_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void choose_0_groups(const int n, __global int *out, const long begin, const long end) {
    if (begin * 4 <= 0 && 0 < n) {
        const int i = 0;
        out[i] = 10;
    }
    if (begin * 4 <= 1 && 1 < n) {
        const int i = 1;
        out[i] = 20;
    }
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = okl_max_long(2, begin * 4); i < i_end; ++i) {
        out[i] = 30;
    }
}

typedef struct { long out_start, dims[6], stretch; } choose_0_launch;

__kernel void choose_0(const int n, __global int *out_buffer, const choose_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    choose_0_groups(n, out_buffer + launch.out_start, begin, end);
}
