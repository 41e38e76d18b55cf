// CUDA C++, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0
// @kernel stop_twice: stop_twice_0
// @kernel from_loop: from_loop_0

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

static __device__ __forceinline__ void skip_0_group(int *out, const okl_group group, const okl_item item) {
    {
        const int i = item.x;
        if (!(i % 2)) {
            ++out[i];
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        out[i] += 10;
    }
}

extern "C" __global__ void __launch_bounds__(4) skip_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    skip_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void stop_0_group(const int n, const int *x, int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    __shared__ int s[4];
    bool done;
    {
        const int i = item.x;
        done = false;
        s[i] = x[4 * o + i];
        if (4 * o + i >= n) {
            done = true;
        } else {
            out[4 * o + i] += s[i];
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            out[4 * o + i] += s[3 - i] + 1;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) stop_0(const int n, const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    stop_0_group(n, x, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void stop_twice_0_group(int *out, const okl_group group, const okl_item item) {
    const int o = group.x;
    bool done;
    {
        const int i = item.x;
        done = false;
        if (i == 0) {
            done = true;
        } else {
            ++out[4 * o + i];
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            if (i == 1) {
                done = true;
            } else {
                out[4 * o + i] += 2;
            }
        }
    }
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            out[4 * o + i] += 8;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) stop_twice_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    stop_twice_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void from_loop_0_group(int *out, const okl_group group, const okl_item item) {
    bool done;
    {
        const int i = item.x;
        done = false;
        for (int k = 0; k < 10; ++k) {
            if (k == i && i < 2) {
                done = true;
                goto next_1;
            }
            if (k == 2) {
                break;
            }
            ++out[i];
        }
    }
next_1:;
    __syncthreads();
    {
        const int i = item.x;
        if (!done) {
            out[i] += 100;
        }
    }
}

extern "C" __global__ void __launch_bounds__(4) from_loop_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    from_loop_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
