// OpenCL C, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0
// @kernel stop_twice: stop_twice_0
// @kernel from_loop: from_loop_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline long okl_max_long(long a, long b) {
    return a > b ? a : b;
}

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void skip_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!(i % 2)) {
                ++out[i];
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] += 10;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } skip_0_launch;

__kernel void skip_0(__global int *out_buffer, const skip_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    skip_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void stop_0_groups(const int n, __global const int *x, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int s[4];
        uchar done[4];
        const long i_end = okl_min_long(4, n - (long)o * 4);
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < i_end; ++i) {
            done[i] = false;
            s[i] = x[4 * o + i];
            out[4 * o + i] += s[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = okl_max_long(0, n - (long)o * 4); i < 4; ++i) {
            done[i] = false;
            s[i] = x[4 * o + i];
            done[i] = true;
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!done[i]) {
                out[4 * o + i] += s[3 - i] + 1;
            }
        }
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } stop_0_launch;

__kernel void stop_0(const int n, __global const int *x_buffer, __global int *out_buffer, const stop_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    stop_0_groups(n, x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}

static inline void stop_twice_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        uchar done[4];
        {
            const int i = 0;
            done[i] = false;
            done[i] = true;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 1; i < 4; ++i) {
            done[i] = false;
            ++out[4 * o + i];
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 1; ++i) {
            if (!done[i]) {
                out[4 * o + i] += 2;
            }
        }
        {
            const int i = 1;
            if (!done[i]) {
                done[i] = true;
            }
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 2; i < 4; ++i) {
            if (!done[i]) {
                out[4 * o + i] += 2;
            }
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!done[i]) {
                out[4 * o + i] += 8;
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } stop_twice_0_launch;

__kernel void stop_twice_0(__global int *out_buffer, const stop_twice_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    stop_twice_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void from_loop_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        uchar done[4];
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 2; ++i) {
            done[i] = false;
            for (int k = 0; k < 10; ++k) {
                if (k == i) {
                    done[i] = true;
                    goto next_1;
                }
                if (k == 2) {
                    break;
                }
                ++out[i];
            }
next_1:;
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 2; i < 4; ++i) {
            done[i] = false;
            for (int k = 0; k < 10; ++k) {
                if (k == i && false) {
                    done[i] = true;
                    goto next_2;
                }
                if (k == 2) {
                    break;
                }
                ++out[i];
            }
next_2:;
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!done[i]) {
                out[i] += 100;
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } from_loop_0_launch;

__kernel void from_loop_0(__global int *out_buffer, const from_loop_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    from_loop_0_groups(out_buffer + launch.out_start, begin, end);
}
