// OpenCL C, made from OKL.
// @kernel blocks: blocks_0
// @kernel ordinary: ordinary_0
// @kernel three: three_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void blocks_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (long group = begin; group < end; ++group) {
        const int i_block = group * 4;
        for (int i = i_block; i < (long)i_block + 4 && i < n; ++i) {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 2; ++k) {
                ++out[2 * i + k];
            }
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } blocks_0_launch;

__kernel void blocks_0(const int n, __global int *out_buffer, const blocks_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    blocks_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void ordinary_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            int sum = 0;
            for (int i = 0; i < n; ++i) {
                sum += i;
            }
            out[o] = sum;
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } ordinary_0_launch;

__kernel void ordinary_0(const int n, __global int *out_buffer, const ordinary_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    ordinary_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void three_0_groups(const int a, const int b, const int c, __global int *out, __private const long *dims, const long begin, const long end) {
    for (long group = begin; group < end;) {
        const long row = group / dims[0];
        const long row_begin = group % dims[0];
        const long row_end = okl_min_long(dims[0], end - row * dims[0]);
        const int y_block = row % dims[1] * 2;
        const int x_block = row / dims[1] * 2;
        const long x_end = okl_min_long(x_block + 2, a);
        for (int x = x_block; x < x_end; ++x) {
            const long y_end = okl_min_long(y_block + 2, b);
            for (int y = y_block; y < y_end; ++y) {
                const long z_end = okl_min_long(row_end * 4, c);
                OKL_INDEPENDENT
                for (int z = row_begin * 4; z < z_end; ++z) {
                    ++out[(x * b + y) * c + z];
                }
            }
        }
        group += row_end - row_begin;
    }
}

typedef struct { long out_start, dims[6], stretch; } three_0_launch;

__kernel void three_0(const int a, const int b, const int c, __global int *out_buffer, const three_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    three_0_groups(a, b, c, out_buffer + launch.out_start, launch.dims, begin, end);
}
