// CUDA C++, made from OKL.
// @kernel k: k_0
// @kernel first: first_0
// @kernel chosen: chosen_0

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

typedef struct kernel {
    int local;
    int fn;
    int get;
} kernel;
static_assert(sizeof(kernel) == 12, "size of kernel");

static __device__ inline int okl_max_i32(int a, int b) {
    return a > b ? a : b;
}

static __device__ inline int v_okl_min_i32(const int *at, int dims) {
    return at[dims];
}

static __device__ inline int k_0_1(int begin) {
    return begin + 1;
}

static __device__ __forceinline__ void k_0_group(const int *u, const int u_start, const int first_x, const int end_x, const int *args, const int group, const int item, int *v, const okl_group group_1, const okl_item item_1) {
    const int launch = group_1.x;
    const int threadIdx_1 = item_1.x;
    const int i = 2 * launch + threadIdx_1;
    kernel let;
    let.local = v_okl_min_i32(args, i);
    let.fn = group;
    let.get = item;
    v[i] = u[i] + u_start + first_x + end_x + let.local + let.fn + let.get - k_0_1(0) + 1 - 0;
}

extern "C" __global__ void __launch_bounds__(2) k_0(const int *u, const int u_start, const int first_x, const int end_x, const int *args, const int group, const int item, int *v, const okl_group first) {
    const okl_group group_1 = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    k_0_group(u, u_start, first_x, end_x, args, group, item, v, group_1, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) k_0_coarsened(const int *u, const int u_start, const int first_x, const int end_x, const int *args, const int group, const int item, int *v, const okl_group first, const int64_t end) {
    const okl_group group_1 = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group_1.x + 1, group_1.y, group_1.z};
    const okl_item item_1 = {threadIdx.x, 0, 0};
    const int launch = group_1.x;
    const int threadIdx_1 = item_1.x;
    const int i = 2 * launch + threadIdx_1;
    const int launch_next = next.x;
    const int threadIdx_next = item_1.x;
    const int i_next = 2 * launch_next + threadIdx_next;
    if (next.x < end) {
        kernel let;
        kernel let_next;
        const int value = v_okl_min_i32(args, i);
        const int value_next = v_okl_min_i32(args, i_next);
        let.local = value;
        let_next.local = value_next;
        const int value_1 = group;
        const int value_next_1 = group;
        let.fn = value_1;
        let_next.fn = value_next_1;
        const int value_2 = item;
        const int value_next_2 = item;
        let.get = value_2;
        let_next.get = value_next_2;
        const int value_3 = u[i] + u_start + first_x + end_x + let.local + let.fn + let.get - k_0_1(0) + 1 - 0;
        const int value_next_3 = u[i_next] + u_start + first_x + end_x + let_next.local + let_next.fn + let_next.get - k_0_1(0) + 1 - 0;
        v[i] = value_3;
        v[i_next] = value_next_3;
    } else {
        k_0_group(u, u_start, first_x, end_x, args, group, item, v, group_1, item_1);
        if (next.x < end) {
            k_0_group(u, u_start, first_x, end_x, args, group, item, v, next, item_1);
        }
    }
}

static __device__ __forceinline__ void first_0_group(const int n, const int *fn, const int v_okl_max_i32, int *loop, const okl_group group, const okl_item item) {
    const int next_block = (int)group.x * 2;
    const int next = next_block + (int)item.x;
    if (next < n) {
        loop[next] = okl_max_i32(fn[next], v_okl_max_i32);
    }
}

extern "C" __global__ void __launch_bounds__(2) first_0(const int n, const int *fn, const int v_okl_max_i32, int *loop, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    first_0_group(n, fn, v_okl_max_i32, loop, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) first_0_coarsened(const int n, const int *fn, const int v_okl_max_i32, int *loop, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next_1 = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int next_block = (int)group.x * 2;
    const int next = next_block + (int)item.x;
    const int next_block_next = (int)next_1.x * 2;
    const int next_next = next_block_next + (int)item.x;
    if (next_1.x < end && next < n && next_next < n) {
        const int value = okl_max_i32(fn[next], v_okl_max_i32);
        const int value_next = okl_max_i32(fn[next_next], v_okl_max_i32);
        loop[next] = value;
        loop[next_next] = value_next;
    } else {
        first_0_group(n, fn, v_okl_max_i32, loop, group, item);
        if (next_1.x < end) {
            first_0_group(n, fn, v_okl_max_i32, loop, next_1, item);
        }
    }
}

static __device__ __forceinline__ void chosen_0_group(const int n, const double *double2, double *out, const okl_group group, const okl_item item) {
    const int end_block = (int)group.x * 2;
    const int end = end_block + (int)item.x;
    if (end < n) {
        const double x = double2[end];
        out[end] = x ? 1.0 : 2.0;
    }
}

extern "C" __global__ void __launch_bounds__(2) chosen_0(const int n, const double *double2, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    chosen_0_group(n, double2, out, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) chosen_0_coarsened(const int n, const double *double2, double *out, const okl_group first, const int64_t end_1) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int end_block = (int)group.x * 2;
    const int end = end_block + (int)item.x;
    const int end_block_next = (int)next.x * 2;
    const int end_next = end_block_next + (int)item.x;
    if (next.x < end_1 && end < n && end_next < n) {
        const double x = double2[end];
        const double value = x ? 1.0 : 2.0;
        const double x_next = double2[end_next];
        const double value_next = x_next ? 1.0 : 2.0;
        out[end] = value;
        out[end_next] = value_next;
    } else {
        chosen_0_group(n, double2, out, group, item);
        if (next.x < end_1) {
            chosen_0_group(n, double2, out, next, item);
        }
    }
}
