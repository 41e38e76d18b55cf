// CUDA C++, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel pairs: pairs_0
// @kernel late: late_0

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

typedef struct pair {
    int first;
    int second;
} pair;
static_assert(sizeof(pair) == 8, "size of pair");

static __device__ inline int read(const pair *p, int i) {
    return p[i].first + 10 * (uint32_t)p[i].second;
}

static __device__ __forceinline__ void reverse_0_group(const int n, const float *x, float *y, const okl_group group, const okl_item item) {
    __shared__ float s[5];
    const int o = group.x;
    {
        const int i = item.x;
        s[i] = x[n * o + i];
    }
    __syncthreads();
    {
        const int i = item.x;
        y[n * o + i] = s[n - 1 - i];
    }
}

extern "C" __global__ void reverse_0(const int n, const float *x, float *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    reverse_0_group(n, x, y, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}

static __device__ __forceinline__ void transpose_0_group(const int rows, const int16_t columns, const int *a, int *b, const okl_group group, const okl_item item) {
    __shared__ int s[3][5];
    {
        const int j = item.x;
        const int i = item.y;
        s[i][j] = a[i * columns + j];
    }
    __syncthreads();
    {
        const int j = item.x;
        const int i = item.y;
        const int64_t row_offset = (int64_t)i * 5;
        b[j * rows + i] = (&s[0][0])[row_offset + j];
    }
}

extern "C" __global__ void transpose_0(const int rows, const int16_t columns, const int *a, int *b, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    transpose_0_group(rows, columns, a, b, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}

static __device__ __forceinline__ void pairs_0_group(const int n, const int *x, int *y, const okl_group group, const okl_item item) {
    __shared__ pair s[8];
    {
        const int i = item.x;
        s[n - 1 - i].second = x[i];
        s[i].first = x[i];
    }
    __syncthreads();
    {
        const int i = item.x;
        y[i] = read(s, i);
    }
}

extern "C" __global__ void pairs_0(const int n, const int *x, int *y, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    pairs_0_group(n, x, y, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}

static __device__ __forceinline__ void late_0_group(const int first, const int *x, int *y, const okl_group group, const okl_item item) {
    __shared__ int s[4];
    {
        const int i = item.x;
        s[i] = x[i];
    }
    __syncthreads();
    {
        const int i = item.x;
        y[i] = s[first];
    }
}

extern "C" __global__ void late_0(const int first, const int *x, int *y, const okl_group first_1) {
    const okl_group group = {first_1.x + blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    late_0_group(first, x, y, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}
