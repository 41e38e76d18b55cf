// CUDA C++, made from OKL.
// @kernel rows: rows_0
// @kernel twice: twice_0
// @kernel branches: branches_0
// @kernel three: three_0
// @kernel in_loop: in_loop_0

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

static __device__ inline int okl_atomic_add_i32(int *at, int value) {
    return atomicAdd(at, value);
}

static __device__ __forceinline__ void rows_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[2];
    const int o = group.x;
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            s[j] = (uint32_t)in[4 * o + 2 * j] + in[4 * o + 2 * j + 1] - j;
        }
    }
    __syncthreads();
    {
        const int k = item.x;
        const int j = item.y;
        out[4 * o + 2 * j + k] = 10 * (uint32_t)s[j] + (uint32_t)s[1 - j] * k;
    }
}

extern "C" __global__ void __launch_bounds__(4) rows_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    rows_0_group(in, out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}

static __device__ __forceinline__ void twice_0_group(int *out, int *sums, const okl_group group, const okl_item item) {
    __shared__ int s[3];
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            s[j] = 3;
        }
    }
    __syncthreads();
    {
        const int j = item.y;
        okl_atomic_add_i32(&s[j], 1);
    }
    __syncthreads();
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            s[j] = (uint32_t)s[j] - 3;
        }
    }
    __syncthreads();
    {
        const int k = item.x;
        const int j = item.y;
        if (k < 2) {
            if (k == 1) {
                out[j] = (uint32_t)s[j] + j;
            }
        }
    }
    __syncthreads();
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            sums[j] = s[(j + 1) % 3];
        }
    }
}

extern "C" __global__ void __launch_bounds__(12) twice_0(int *out, int *sums, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    twice_0_group(out, sums, group, okl_item{threadIdx.x, threadIdx.y, 0});
}

static __device__ __forceinline__ void branches_0_group(const int *in, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[2];
    const int o = group.x;
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            if (in[2 * o + j] > 1) {
                s[j] = 1;
                for (int k_1 = 0; k_1 < 3; ++k_1) {
                    s[j] = (uint32_t)s[j] + (in[(2 * o + j) % 3] > k_1 ? 1 : 0);
                }
            } else {
                s[j] = 1;
            }
        }
    }
    __syncthreads();
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            okl_atomic_add_i32(&s[j], j == 0 && o == 1 ? 3 : 0);
        }
    }
    __syncthreads();
    {
        const int k = item.x;
        const int j = item.y;
        out[4 * o + 2 * j + k] = (uint32_t)s[j] + k;
    }
}

extern "C" __global__ void __launch_bounds__(4) branches_0(const int *in, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    branches_0_group(in, out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}

static __device__ __forceinline__ void three_0_group(int *out, const okl_group group, const okl_item item) {
    {
        const int c = item.x;
        const int b = item.y;
        const int a = item.z;
        if (c == 0 && b == 0) {
            out[a] = 1;
        }
    }
    __syncthreads();
    {
        const int c = item.x;
        const int b = item.y;
        const int a = item.z;
        if (c == 0 && b == 0) {
            out[2 + a] = 1;
        }
    }
    __syncthreads();
    {
        const int c = item.x;
        const int b = item.y;
        const int a = item.z;
        if (c == 0) {
            out[2 * b + a] = (uint32_t)out[2 * b + a] + 1;
        }
    }
    __syncthreads();
    {
        const int b = item.y;
        const int a = item.z;
        okl_atomic_add_i32(&out[2 * b + a], 1);
    }
}

extern "C" __global__ void __launch_bounds__(40) three_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    three_0_group(out, group, okl_item{threadIdx.x, threadIdx.y, threadIdx.z});
}

static __device__ __forceinline__ void in_loop_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    __shared__ int s[2];
    {
        const int k = item.x;
        const int j = item.y;
        if (k == 0) {
            s[j] = 0;
        }
    }
    __syncthreads();
    for (int step = 0; step < n; ++step) {
        {
            const int k = item.x;
            const int j = item.y;
            if (k == 0) {
                s[j] = (uint32_t)s[j] + 10;
            }
        }
        __syncthreads();
        {
            const int k = item.x;
            const int j = item.y;
            out[2 * j + k] = (uint32_t)s[j] + k;
        }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(4) in_loop_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    in_loop_0_group(n, out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}
