// OpenCL C, made from OKL.
// @kernel k: k_0
// @kernel first: first_0
// @kernel chosen: chosen_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef __clang__
#define OKL_HOLDS(condition, what) _Static_assert(condition, what)
#else
#define OKL_HOLDS(condition, what)
#endif

typedef struct kernel_1 {
    int local_1;
    int fn;
    int get;
} kernel_1;
OKL_HOLDS(sizeof(kernel_1) == 12, "size of kernel_1");
OKL_HOLDS(__builtin_offsetof(kernel_1, local_1) == 0, "offset of kernel_1.local_1");
OKL_HOLDS(__builtin_offsetof(kernel_1, fn) == 4, "offset of kernel_1.fn");
OKL_HOLDS(__builtin_offsetof(kernel_1, get) == 8, "offset of kernel_1.get");

static inline int okl_max_int(int a, int b) {
    return a > b ? a : b;
}

static inline int v_okl_min_i32(__global const int *at, int dims) {
    return at[dims];
}

static inline int k_0_1(int begin) {
    return begin + 1;
}

static inline void k_0_group(__global const int *u, int u_start, int first_x, int end_x, __global const int *args, int group, int item, __global int *v, const long group_x, const long group_y, const long group_z) {
    const int launch = group_x;
    const int threadIdx = (int)get_local_id(0);
    const int i = 2 * launch + threadIdx;
    kernel_1 let;
    let.local_1 = v_okl_min_i32(args, i);
    let.fn = group;
    let.get = item;
    v[i] = u[i] + u_start + first_x + end_x + let.local_1 + let.fn + let.get - k_0_1(0) + 1 - 0;
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void k_0(__global const int *u_buffer, const long u_start_1, const int u_start, const int first_x, const int end_x, __global const int *args_buffer, const long args_start, const int group, const int item, __global int *v_buffer, const long v_start, const long3 first, const long end) {
    __global const int *u = u_buffer + u_start_1;
    __global const int *args = args_buffer + args_start;
    __global int *v = v_buffer + v_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int launch = group_x;
    const int threadIdx = (int)get_local_id(0);
    const int i = 2 * launch + threadIdx;
    const int launch_next = next_x;
    const int threadIdx_next = (int)get_local_id(0);
    const int i_next = 2 * launch_next + threadIdx_next;
    if (next_x < end) {
        kernel_1 let;
        kernel_1 let_next;
        const int value = v_okl_min_i32(args, i);
        const int value_next = v_okl_min_i32(args, i_next);
        let.local_1 = value;
        let_next.local_1 = value_next;
        const int value_1 = group;
        const int value_next_1 = group;
        let.fn = value_1;
        let_next.fn = value_next_1;
        const int value_2 = item;
        const int value_next_2 = item;
        let.get = value_2;
        let_next.get = value_next_2;
        const int value_3 = u[i] + u_start + first_x + end_x + let.local_1 + let.fn + let.get - k_0_1(0) + 1 - 0;
        const int value_next_3 = u[i_next] + u_start + first_x + end_x + let_next.local_1 + let_next.fn + let_next.get - k_0_1(0) + 1 - 0;
        v[i] = value_3;
        v[i_next] = value_next_3;
    } else {
        k_0_group(u, u_start, first_x, end_x, args, group, item, v, group_x, group_y, group_z);
        if (next_x < end) {
            k_0_group(u, u_start, first_x, end_x, args, group, item, v, next_x, group_y, group_z);
        }
    }
}

static inline void first_0_group(int n, __global const int *fn, int v_okl_max_i32, __global int *loop, const long group_x, const long group_y, const long group_z) {
    const int next_block = (int)group_x * 2;
    const int next = next_block + (int)get_local_id(0);
    if (next < n) {
        loop[next] = okl_max_int(fn[next], v_okl_max_i32);
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void first_0(const int n, __global const int *fn_buffer, const long fn_start, const int v_okl_max_i32, __global int *loop_buffer, const long loop_start, const long3 first, const long end) {
    __global const int *fn = fn_buffer + fn_start;
    __global int *loop = loop_buffer + loop_start;
    const long group_x = first.x + (long)get_group_id(0) * (end > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int next_block = (int)group_x * 2;
    const int next = next_block + (int)get_local_id(0);
    const int next_block_next = (int)next_x * 2;
    const int next_next = next_block_next + (int)get_local_id(0);
    if (next_x < end && next < n && next_next < n) {
        const int value = okl_max_int(fn[next], v_okl_max_i32);
        const int value_next = okl_max_int(fn[next_next], v_okl_max_i32);
        loop[next] = value;
        loop[next_next] = value_next;
    } else {
        first_0_group(n, fn, v_okl_max_i32, loop, group_x, group_y, group_z);
        if (next_x < end) {
            first_0_group(n, fn, v_okl_max_i32, loop, next_x, group_y, group_z);
        }
    }
}

static inline void chosen_0_group(int n, __global const double *double2_1, __global double *out, const long group_x, const long group_y, const long group_z) {
    const int end_block = (int)group_x * 2;
    const int end = end_block + (int)get_local_id(0);
    if (end < n) {
        const double x = double2_1[end];
        out[end] = x != 0.0 ? 1.0 : 2.0;
    }
}

__kernel __attribute__((reqd_work_group_size(2, 1, 1))) void chosen_0(const int n, __global const double *double2_1_buffer, const long double2_1_start, __global double *out_buffer, const long out_start, const long3 first, const long end_1) {
    __global const double *double2_1 = double2_1_buffer + double2_1_start;
    __global double *out = out_buffer + out_start;
    const long group_x = first.x + (long)get_group_id(0) * (end_1 > 0 ? 2 : 1);
    const long group_y = first.y + (long)get_group_id(1);
    const long group_z = first.z + (long)get_group_id(2);
    const long next_x = group_x + 1;
    const int end_block = (int)group_x * 2;
    const int end = end_block + (int)get_local_id(0);
    const int end_block_next = (int)next_x * 2;
    const int end_next = end_block_next + (int)get_local_id(0);
    if (next_x < end_1 && end < n && end_next < n) {
        const double x = double2_1[end];
        const double value = x != 0.0 ? 1.0 : 2.0;
        const double x_next = double2_1[end_next];
        const double value_next = x_next != 0.0 ? 1.0 : 2.0;
        out[end] = value;
        out[end_next] = value_next;
    } else {
        chosen_0_group(n, double2_1, out, group_x, group_y, group_z);
        if (next_x < end_1) {
            chosen_0_group(n, double2_1, out, next_x, group_y, group_z);
        }
    }
}
