// CUDA C++, made from OKL.
// @kernel guards: guards_0
// @kernel effects: effects_0
// @kernel choose: choose_0

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

static __device__ inline int bump(int *x, int by) {
    x[0] += by;
    return x[0];
}

static __device__ __forceinline__ void guards_0_group(const int n, const int *x, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int next = i + 1 < n ? x[i + 1] : 0;
    if ((next != 0 && 100 / next > 0) || i > 100) {
        out[i] = i == 2 ? 100 / next : next;
    }
}

extern "C" __global__ void __launch_bounds__(4) guards_0(const int n, const int *x, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    guards_0_group(n, x, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(4) guards_0_pairs(const int n, const int *x, int *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next_1 = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next_1.x * 4;
    const int i_next = i_block_next + (int)item.x;
    if (next_1.x < end) {
        const int next = i + 1 < n ? x[i + 1] : 0;
        const int next_next = i_next + 1 < n ? x[i_next + 1] : 0;
        if ((next != 0 && 100 / next > 0) || i > 100) {
            out[i] = i == 2 ? 100 / next : next;
        }
        if ((next_next != 0 && 100 / next_next > 0) || i_next > 100) {
            out[i_next] = i_next == 2 ? 100 / next_next : next_next;
        }
    } else {
        guards_0_group(n, x, out, group, item);
        if (next_1.x < end) {
            guards_0_group(n, x, out, next_1, item);
        }
    }
}

static __device__ __forceinline__ void effects_0_group(int *out, const okl_group group, const okl_item item) {
    int b = 0;
    bool holds = false;
    if (holds) {
        int result;
        result = bump(&b, 1);
        holds = result != 0;
    }
    if (holds) {
        b = 100;
    }
    out[0] = b;
    bool holds_1 = true;
    if (!holds_1) {
        int result_1;
        result_1 = bump(&b, 50);
        holds_1 = result_1 != 0;
    }
    if (holds_1) {
        ++b;
    }
    out[1] = b;
    int chosen;
    int result_2;
    result_2 = bump(&b, 1);
    chosen = result_2;
    out[2] = chosen;
    const int before = b;
    ++b;
    out[3] = before > 1 && b == 3;
    out[4] = b;
    int c;
    c = b * 2;
    out[5] = c > 5 ? c + c : 0;
}

extern "C" __global__ void __launch_bounds__(1) effects_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    effects_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void choose_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        out[i] = i == 0 ? 10 : i == 1 ? 20 : 30;
    }
}

extern "C" __global__ void __launch_bounds__(4) choose_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    choose_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}
