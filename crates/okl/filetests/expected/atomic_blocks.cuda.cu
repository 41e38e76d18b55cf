// CUDA C++, made from OKL.
// @kernel single: single_0
// @kernel fields: fields_0
// @kernel shared: shared_0

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
    float a;
    float b;
} pair;
static_assert(sizeof(pair) == 8, "size of pair");

static __device__ inline float okl_atomic_add_f32(float *at, float value) {
    return atomicAdd(at, value);
}

static __device__ inline int okl_atomic_add_i32(int *at, int value) {
    return atomicAdd(at, value);
}

static __device__ inline int okl_atomic_sub_i32(int *at, int value) {
    return atomicAdd(at, -value);
}

static __device__ __forceinline__ void single_0_group(const int *x, int *sum, const float *y, float *total, const okl_group group, const okl_item item) {
    okl_atomic_add_i32(&sum[0], x[0]);
    okl_atomic_add_f32(&total[0], y[0]);
    okl_atomic_sub_i32(&sum[0], x[1]);
    okl_atomic_add_i32(&sum[0], x[1]);
}

extern "C" __global__ void __launch_bounds__(1) single_0(const int *x, int *sum, const float *y, float *total, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    single_0_group(x, sum, y, total, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void fields_0_group(const int n, const pair *v, pair *sum, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        okl_atomic_add_f32(&sum[0].a, v[i].a);
        okl_atomic_add_f32(&sum[0].b, v[i].b);
    }
}

extern "C" __global__ void __launch_bounds__(4) fields_0(const int n, const pair *v, pair *sum, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    fields_0_group(n, v, sum, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void shared_0_group(const int *x, int *out, const okl_group group, const okl_item item) {
    __shared__ int total;
    __shared__ int count;
    {
        const int i = item.x;
        if (i == 0) {
            count = 0;
            total = count;
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        okl_atomic_add_i32(&total, x[i]);
        okl_atomic_add_i32(&count, 1);
    }
    __syncthreads();
    {
        const int i = item.x;
        if (i == 0) {
            out[0] = total;
            out[1] = count;
        }
    }
}

extern "C" __global__ void shared_0(const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    shared_0_group(x, out, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}
