// OpenCL C, made from OKL.
// @kernel lists: lists_0
// @kernel cube: cube_0
// @kernel binomial: binomial_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

static inline void lists_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int k = 0; k < 1; ++k) {
            const int a[3] = {1, 2, 3};
            const int b[4] = {1};
            const int c[2][3] = {{1, 2, 3}, {4, 5, 6}};
            const int d[2][3] = {{5}};
            int sum = 0;
            for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 3; ++j) {
                    sum += c[i][j];
                }
            }
            out[0] = a[0] + a[1] + a[2];
            out[1] = b[0];
            out[2] = b[1] + b[2] + b[3];
            out[3] = sum;
            out[4] = d[0][0];
            out[5] = d[1][2];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } lists_0_launch;

__kernel void lists_0(__global int *out_buffer, const lists_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    lists_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void cube_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        {
            const int k = 0;
            int a[3][4][5];
            for (int x = 0; x < 3; ++x) {
                for (int y = 0; y < 4; ++y) {
                    for (int z = 0; z < 5; ++z) {
                        a[x][y][z] = 100 * x + 10 * y + z;
                    }
                }
            }
            out[k] = a[k][k][k];
            out[3] = a[0][1][2];
        }
        for (int k = 1; k < 3; ++k) {
            int a[3][4][5];
            for (int x = 0; x < 3; ++x) {
                for (int y = 0; y < 4; ++y) {
                    for (int z = 0; z < 5; ++z) {
                        a[x][y][z] = 100 * x + 10 * y + z;
                    }
                }
            }
            out[k] = a[k][k][k];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } cube_0_launch;

__kernel void cube_0(__global int *out_buffer, const cube_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    cube_0_groups(out_buffer + launch.out_start, begin, end);
}

static inline void binomial_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        for (int k = 0; k < n; ++k) {
            int row[8] = {1};
            for (int r = 1; r < n; ++r) {
                for (int c = r; c > 0; --c) {
                    row[c] += row[c - 1];
                }
            }
            out[k] = row[k];
        }
    }
}

typedef struct { long out_start, dims[6], stretch; } binomial_0_launch;

__kernel void binomial_0(const int n, __global int *out_buffer, const binomial_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    binomial_0_groups(n, out_buffer + launch.out_start, begin, end);
}
