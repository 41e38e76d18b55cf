// OpenCL C, made from OKL.
// @kernel fall: fall_0
// @kernel middle: middle_0
// @kernel in_loop: in_loop_0
// @kernel names: names_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline int name(int x) {
    switch (x) {
        case 0: {
            return 10;
        }
        case 5: {
            return 20;
        }
    }
    return -1;
}

static inline void fall_0_groups(const int n, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        int x = 0;
        switch (i) {
            case 0: {
                x += 100;
            }
            // fall through
            case 1: {
                x += 10;
            }
            // fall through
            case 2: {
                ++x;
                break;
            }
            case 3: {
                x = 1000;
                break;
            }
            case 4:
            case 5: {
                x = 500;
                break;
            }
            default: {
                x = 7;
                break;
            }
        }
        out[i] = x;
    }
}

typedef struct { long out_start, dims[6], stretch; } fall_0_launch;

__kernel void fall_0(const int n, __global int *out_buffer, const fall_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    fall_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void middle_0_groups(const int n, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        int x = 0;
        switch (i) {
            case 1: {
                x = 10;
                x += 2;
                break;
            }
            default: {
                x = 3;
                break;
            }
            case 2: {
                x = 20;
                break;
            }
        }
        out[i] = x;
    }
}

typedef struct { long out_start, dims[6], stretch; } middle_0_launch;

__kernel void middle_0(const int n, __global int *out_buffer, const middle_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    middle_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void in_loop_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int t = 0; t < 1; ++t) {
            int sum = 0;
            int turns = 0;
            for (int k = 0; k < 6; ++k) {
                switch (k) {
                    case 1: {
                        continue;
                    }
                    case 4: {
                        sum += 5;
                        break;
                    }
                    default: {
                        switch (k % 2) {
                            case 0: {
                                sum += 2;
                                break;
                            }
                            default: {
                                break;
                            }
                        }
                        break;
                    }
                }
                if (k == 5) {
                    break;
                }
                ++turns;
            }
            out[0] = sum;
            int k = 0;
            while (true) {
                ++k;
                switch (k) {
                    case 3: {
                        break;
                    }
                    default: {
                        continue;
                    }
                }
                break;
            }
            out[1] = k + 100 + turns - turns;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } in_loop_0_launch;

__kernel void in_loop_0(__global int *out_buffer, const in_loop_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    in_loop_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void names_0_groups(const int n, __global const int *x, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = name(x[i]);
    }
}

typedef struct { long x_start, out_start, dims[6], stretch; } names_0_launch;

__kernel void names_0(const int n, __global const int *x_buffer, __global int *out_buffer, const names_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    names_0_groups(n, x_buffer + launch.x_start, out_buffer + launch.out_start, begin, end);
}
