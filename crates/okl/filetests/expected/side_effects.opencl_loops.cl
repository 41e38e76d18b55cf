// OpenCL C, made from OKL.
// @kernel steps: steps_0
// @kernel compound: compound_0
// @kernel narrow: narrow_0

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

static inline void steps_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            int a = 5;
            int b;
            int c;
            const int before = a;
            ++a;
            out[0] = before;
            ++a;
            out[1] = a;
            const int before_1 = a;
            --a;
            out[2] = before_1;
            --a;
            out[3] = a;
            --a;
            c = a;
            b = c;
            out[4] = b;
            out[5] = c;
            int at = 6;
            const int before_2 = at;
            ++at;
            out[before_2] = 12;
            out[at] = out[at - 1];
            for (b = 0, c = 10; b < c; ++b, c -= 2) {
                a = b;
            }
            out[8] = a;
            a = 1;
            out[9] = a + 1;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } steps_0_launch;

__kernel void steps_0(__global int *out_buffer, const steps_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    steps_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void compound_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            int a = 10;
            a += 5;
            out[0] = a;
            a -= 3;
            out[1] = a;
            a *= 3;
            out[2] = a;
            a /= 4;
            out[3] = a;
            a %= 2;
            out[4] = a;
            a <<= 2;
            out[5] = a;
            a >>= 1;
            out[6] = a;
            a |= 8;
            out[7] = a;
            a ^= 4;
            out[8] = a;
            --a;
            out[9] = a & 15;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } compound_0_launch;

__kernel void compound_0(__global int *out_buffer, const compound_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    compound_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void narrow_0_groups(__global uchar *c, __global short *s, __global float *f, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            c[0] = c[0] + 10;
            c[1] = c[1] * 2;
            s[0] = s[0] + 1;
            f[0] += 1.0f;
        }
    }
}

typedef struct { long c_start, s_start, f_start, dims[6], stretch; } narrow_0_launch;

__kernel void narrow_0(__global uchar *c_buffer, __global short *s_buffer, __global float *f_buffer, const narrow_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    narrow_0_groups(c_buffer + launch.c_start, s_buffer + launch.s_start, f_buffer + launch.f_start, begin, end);
}
