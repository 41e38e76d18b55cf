// CUDA C++, made from OKL.
// @kernel fall: fall_0
// @kernel middle: middle_0
// @kernel in_loop: in_loop_0
// @kernel names: names_0

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

static __device__ inline int name(int x) {
    switch (x) {
        case 0: {
            return 10;
        }
        case 5: {
            return 20;
        }
    }
    return -1;
}

static __device__ __forceinline__ void fall_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        int x = 0;
        switch (i) {
            case 0: {
                x += 100;
            }
            // fall through
            case 1: {
                x += 10;
            }
            // fall through
            case 2: {
                ++x;
                break;
            }
            case 3: {
                x = 1000;
                break;
            }
            case 4:
            case 5: {
                x = 500;
                break;
            }
            default: {
                x = 7;
                break;
            }
        }
        out[i] = x;
    }
}

extern "C" __global__ void __launch_bounds__(4) fall_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    fall_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void middle_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        int x = 0;
        switch (i) {
            case 1: {
                x = 10;
                x += 2;
                break;
            }
            default: {
                x = 3;
                break;
            }
            case 2: {
                x = 20;
                break;
            }
        }
        out[i] = x;
    }
}

extern "C" __global__ void __launch_bounds__(4) middle_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    middle_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void in_loop_0_group(int *out, const okl_group group, const okl_item item) {
    int sum = 0;
    int turns = 0;
    for (int k = 0; k < 6; ++k) {
        switch (k) {
            case 1: {
                continue;
            }
            case 4: {
                sum += 5;
                break;
            }
            default: {
                switch (k % 2) {
                    case 0: {
                        sum += 2;
                        break;
                    }
                    default: {
                        break;
                    }
                }
                break;
            }
        }
        if (k == 5) {
            break;
        }
        ++turns;
    }
    out[0] = sum;
    int k = 0;
    while (true) {
        ++k;
        switch (k) {
            case 3: {
                break;
            }
            default: {
                continue;
            }
        }
        break;
    }
    out[1] = k + 100 + turns - turns;
}

extern "C" __global__ void __launch_bounds__(1) in_loop_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    in_loop_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void names_0_group(const int n, const int *x, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        out[i] = name(x[i]);
    }
}

extern "C" __global__ void __launch_bounds__(4) names_0(const int n, const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    names_0_group(n, x, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) names_0_pairs(const int n, const int *x, int *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const int value = name(x[i]);
        const int value_next = name(x[i_next]);
        out[i] = value;
        out[i_next] = value_next;
    } else {
        names_0_group(n, x, out, group, item);
        if (next.x < end) {
            names_0_group(n, x, out, next, item);
        }
    }
}
