// OpenCL C, made from OKL.
// @kernel down: down_0
// @kernel steps: steps_0
// @kernel inclusive: inclusive_0
// @kernel backward_steps: backward_steps_0
// @kernel wide: wide_0
// @kernel swapped: swapped_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline void down_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int o = n + group * -1;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i > -1; --i) {
            out[n - o] = 10 * o + i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } down_0_launch;

__kernel void down_0(const int n, __global int *out_buffer, const down_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    down_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void steps_0_groups(__global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int o = 1 + group * 3;
        OKL_INDEPENDENT_SHORT
        for (int i = 9; i < 11; i += 2) {
            if (o + i <= 16) {
                out[o] = o + i;
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } steps_0_launch;

__kernel void steps_0(__global int *out_buffer, const steps_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    steps_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void inclusive_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 2; ++i) {
            out[2 * o + i] = 10 * o + i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } inclusive_0_launch;

__kernel void inclusive_0(__global int *out_buffer, const inclusive_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    inclusive_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void backward_steps_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int o = n + group * -3;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 1; ++i) {
            out[o] = o;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } backward_steps_0_launch;

__kernel void backward_steps_0(const int n, __global int *out_buffer, const backward_steps_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    backward_steps_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void wide_0_groups(__global uint *out, const long begin, const long end) {
    for (long o = begin; o < end; ++o) {
        const uint i_end = 2;
        OKL_INDEPENDENT_SHORT
        for (uint i = 0; i < i_end; ++i) {
            out[2 * o + i] = (uint)(2 * o) + i + 1;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } wide_0_launch;

__kernel void wide_0(__global uint *out_buffer, const wide_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    wide_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void swapped_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 5; i < 6; ++i) {
            out[o] = o + i;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } swapped_0_launch;

__kernel void swapped_0(__global int *out_buffer, const swapped_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    swapped_0_groups(out_buffer + launch.out_start, begin, end);
}
