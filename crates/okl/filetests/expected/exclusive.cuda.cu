// CUDA C++, made from OKL.
// @kernel scalars: scalars_0
// @kernel arrays: arrays_0
// @kernel tables: tables_0

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

static __device__ __forceinline__ void scalars_0_group(const double *x, double *out, const okl_group group, const okl_item item) {
    double a;
    double b;
    const int o = group.x;
    {
        const int i = item.x;
        b = 1.0;
        a = 2.0 * x[4 * o + i];
    }
    __syncthreads();
    {
        const int i = item.x;
        out[4 * o + i] = a + b;
    }
}

extern "C" __global__ void __launch_bounds__(4) scalars_0(const double *x, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    scalars_0_group(x, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void arrays_0_group(int *out, const okl_group group, const okl_item item) {
    int a[3];
    {
        const int i = item.x;
        for (int k = 0; k < 3; ++k) {
            a[k] = 10 * i + k;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        out[i] = a[0] + a[1] + a[2];
    }
}

extern "C" __global__ void __launch_bounds__(4) arrays_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    arrays_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void tables_0_group(int *out, const okl_group group, const okl_item item) {
    int t[2][3];
    const int o = group.x;
    {
        const int i = item.x;
        (&t[0][0])[0] = 0;
        (&t[0][0])[1] = 1;
        (&t[0][0])[2] = 2;
        (&t[0][0])[3] = 10;
        (&t[0][0])[4] = 20;
        (&t[0][0])[5] = 30;
        int shift = 10 * o;
        t[0][i] += shift * 3;
    }
    __syncthreads();
    {
        const int i = item.x;
        out[3 * o + i] = t[0][i] + (i == 0 ? 0 : t[1][i - 1]);
    }
}

extern "C" __global__ void __launch_bounds__(3) tables_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    tables_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
