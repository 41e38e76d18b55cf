// OpenCL C, made from OKL.
// @kernel lists: lists_0
// @kernel cube: cube_0
// @kernel binomial: binomial_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void lists_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
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

__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void cube_0(__global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const int k = (int)get_local_id(0);
    int a[3][4][5];
    for (int x = 0; x < 3; ++x) {
        for (int y = 0; y < 4; ++y) {
            for (int z = 0; z < 5; ++z) {
                a[x][y][z] = 100 * x + 10 * y + z;
            }
        }
    }
    out[k] = a[k][k][k];
    if (k == 0) {
        out[3] = a[0][1][2];
    }
}

__kernel void binomial_0(const int n, __global int *out_buffer, const long out_start, const long3 first) {
    __global int *out = out_buffer + out_start;
    const int k = (int)get_local_id(0);
    int row[8] = {1};
    for (int r = 1; r < n; ++r) {
        for (int c = r; c > 0; --c) {
            row[c] += row[c - 1];
        }
    }
    out[k] = row[k];
}
