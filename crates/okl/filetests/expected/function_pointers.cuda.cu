// CUDA C++, made from OKL.
// @kernel memories: memories_0
// @kernel columns: columns_0

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

static __device__ inline void set_1(double *place, double value) {
    place[0] = value;
}

static __device__ inline void add_to(double *x, int at, double value) {
    set_1(&x[at], x[at] + value);
}

static __device__ inline double sum(int n, const double *x) {
    double total = 0.0;
    for (int k = 0; k < n; ++k) {
        total += x[k];
    }
    return total;
}

static __device__ inline int column_sum(const int (*a)[4], int rows, int column) {
    int total = 0;
    for (int r = 0; r < rows; ++r) {
        total += a[r][column];
    }
    return total;
}

static __device__ __forceinline__ void memories_0_group(const double *x, double *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    __shared__ double s[4];
    double kept[2];
    {
        const int i = item.x;
        set_1(&s[i], x[4 * o + i]);
        set_1(kept, i);
        set_1(&kept[1], 0.0);
    }
    __syncthreads();
    {
        const int i = item.x;
        double mine[3] = {1.0, 2.0, 3.0};
        add_to(mine, 1, sum(4, s));
        add_to(kept, 1, sum(4, &x[4 * o]) * 4.0);
        add_to(&out[4 * o], i, sum(3, mine) + sum(2, kept));
    }
}

extern "C" __global__ void __launch_bounds__(4) memories_0(const double *x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    memories_0_group(x, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void columns_0_group(const int *a, int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    int copy[3][4];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            copy[r][c] = a[4 * r + c];
        }
    }
    out[i] = column_sum(copy, 3, i);
}

extern "C" __global__ void __launch_bounds__(4) columns_0(const int *a, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    columns_0_group(a, out, group, okl_item{threadIdx.x, 0, 0});
}
