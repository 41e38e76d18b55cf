// CUDA C++, made from OKL.
// @kernel lists: lists_0
// @kernel cube: cube_0
// @kernel binomial: binomial_0

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807ll - 1)
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
struct okl_group { int64_t x, y, z; };
struct okl_item { uint32_t x, y, z; };

static __device__ __forceinline__ void lists_0_group(int *out, const okl_group group, const okl_item item) {
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

extern "C" __global__ void __launch_bounds__(1) lists_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    lists_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void cube_0_group(int *out, const okl_group group, const okl_item item) {
    const int k = item.x;
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

extern "C" __global__ void __launch_bounds__(3) cube_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    cube_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void binomial_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int k = item.x;
    int row[8] = {1};
    for (int r = 1; r < n; ++r) {
        for (int c = r; c > 0; --c) {
            row[c] += row[c - 1];
        }
    }
    out[k] = row[k];
}

extern "C" __global__ void binomial_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    binomial_0_group(n, out, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}
