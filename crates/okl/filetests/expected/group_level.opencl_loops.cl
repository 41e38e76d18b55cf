// OpenCL C, made from OKL.
// @kernel offsets: offsets_0
// @kernel branches: branches_0
// @kernel rounds: rounds_0

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

static inline void offsets_0_groups(__global const int *starts, __global const int *x, __global int *out, const long begin_1, const long end_1) {
    for (int o = begin_1; o < end_1; ++o) {
        const int begin = starts[o];
        const int end = starts[o + 1];
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 1; ++i) {
            int sum = 0;
            for (int k = begin; k < end; ++k) {
                sum += x[k];
            }
            out[o] = sum;
        }
    }
}

typedef struct { long starts_start, x_start, out_start, dims[6], stretch; } offsets_0_launch;

__kernel void offsets_0(__global const int *starts_buffer, __global const int *x_buffer, __global int *out_buffer, const offsets_0_launch launch) {
    const long begin_1 = (long)get_global_id(0) * launch.stretch;
    const long end_1 = min(begin_1 + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    offsets_0_groups(starts_buffer + launch.starts_start, x_buffer + launch.x_start, out_buffer + launch.out_start, begin_1, end_1);
}

static inline void branches_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        int factor = o;
        if (o >= 2) {
            factor *= 10;
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                out[2 * o + i] = factor;
            }
        } else {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                out[2 * o + i] = factor;
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } branches_0_launch;

__kernel void branches_0(__global int *out_buffer, const branches_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    branches_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void rounds_0_groups(const int rounds, __global int *x, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int r = 1; r < rounds; ++r) {
            const int factor = r + 1;
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 2; ++i) {
                x[2 * o + i] *= factor;
            }
        }
    }
}

typedef struct { long x_start, dims[6], stretch; } rounds_0_launch;

__kernel void rounds_0(const int rounds, __global int *x_buffer, const rounds_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    rounds_0_groups(rounds, x_buffer + launch.x_start, begin, end);
}
