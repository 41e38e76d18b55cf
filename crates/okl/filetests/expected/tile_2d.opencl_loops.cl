// OpenCL C, made from OKL.
// @kernel transpose: transpose_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void transpose_0_groups(const int rows, const int columns, __global const double *in, __global double *out, __private const long *dims, const long begin, const long end) {
    for (long group = begin; group < end;) {
        const long row = group / dims[0];
        const long row_begin = group % dims[0];
        const long row_end = okl_min_long(dims[0], end - row * dims[0]);
        const int r_block = row * 4;
        const long r_end = okl_min_long(r_block + 4, rows);
        for (int r = r_block; r < r_end; ++r) {
            const long c_end = okl_min_long(row_end * 4, columns);
            OKL_INDEPENDENT
            for (int c = row_begin * 4; c < c_end; ++c) {
                out[c * rows + r] = in[r * columns + c];
            }
        }
        group += row_end - row_begin;
    }
}

typedef struct { long in_start, out_start, dims[6], stretch; } transpose_0_launch;

__kernel void transpose_0(const int rows, const int columns, __global const double *in_buffer, __global double *out_buffer, const transpose_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    transpose_0_groups(rows, columns, in_buffer + launch.in_start, out_buffer + launch.out_start, launch.dims, begin, end);
}
