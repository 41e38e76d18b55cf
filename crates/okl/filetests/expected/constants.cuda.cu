// CUDA C++, made from OKL.
// @kernel stencil: stencil_0
// @kernel table: table_0

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

static __device__ const double weights[3] = {1.0, -2.0, 1.0};

static __device__ const int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

static __device__ inline double apply(const double *x) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += weights[k] * x[k - 1];
    }
    return sum;
}

static __device__ __forceinline__ void stencil_0_group(const int n, const double *x, double *out, const okl_group group, const okl_item item) {
    const int i_block = 1 + (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n - 1) {
        out[i] = apply(&x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) stencil_0(const int n, const double *x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    stencil_0_group(n, x, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) stencil_0_pairs(const int n, const double *x, double *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = 1 + (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = 1 + (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n - 1 && i_next < n - 1) {
        const double value = apply(&x[i]);
        const double value_next = apply(&x[i_next]);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        stencil_0_group(n, x, out, group, item);
        if (next.x < end) {
            stencil_0_group(n, x, out, next, item);
        }
    }
}

static __device__ __forceinline__ void table_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    const int k = item.x;
    out[3 * o + k] = grid[o][k];
}

extern "C" __global__ void __launch_bounds__(3) table_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    table_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
