// CUDA C++, made from OKL.
// @kernel copy: copy_0
// @kernel rows: rows_0
// @kernel walk: walk_0

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

static __device__ __forceinline__ void copy_0_group(const int n, const double *x, double *y, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        y[i] = x[i] + 1.0;
    }
}

extern "C" __global__ void __launch_bounds__(4) copy_0(const int n, const double *x, double *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    copy_0_group(n, x, y, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) copy_0_pairs(const int n, const double *x, double *y, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double value = x[i] + 1.0;
        const double value_next = x[i_next] + 1.0;
        y[i] = value;
        y[i_next] = value_next;
    } else {
        copy_0_group(n, x, y, group, item);
        if (next.x < end) {
            copy_0_group(n, x, y, next, item);
        }
    }
}

static __device__ __forceinline__ void rows_0_group(const int *x, int *out, const okl_group group, const okl_item item) {
    const int r = group.x;
    const int row_offset = 4 * r;
    int sum = 0;
    for (int c = 0; c < 4; ++c) {
        sum += x[(int64_t)row_offset + c];
    }
    out[r] = sum;
}

extern "C" __global__ void __launch_bounds__(1) rows_0(const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rows_0_group(x, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void walk_0_group(const int *x, int *out, const okl_group group, const okl_item item) {
    int64_t p_offset = 0;
    int sum = 0;
    while (x[p_offset]) {
        const int64_t before = p_offset;
        p_offset = p_offset + 1;
        sum += x[before];
    }
    out[0] = sum;
    out[1] = p_offset;
}

extern "C" __global__ void __launch_bounds__(1) walk_0(const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    walk_0_group(x, out, group, okl_item{0, 0, 0});
}
