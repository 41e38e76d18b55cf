// CUDA C++, made from OKL.
// @kernel ghosts: ghosts_0
// @kernel in_place: in_place_0
// @kernel two_pointers: two_pointers_0
// @kernel changed: changed_0
// @kernel after_another: after_another_0

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

static __device__ __forceinline__ void ghosts_0_group(const int n, const double *__restrict__ u_prev, double *__restrict__ u, const okl_group group, const okl_item item) {
    const int i_block = 1 + (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n + 1) {
        const double here = u_prev[i];
        u[i] = here + 1.0;
        if (i == 1) {
            u[n + 1] = here;
        }
        if (i == n) {
            u[0] = here;
        }
    }
}

extern "C" __global__ void __launch_bounds__(2) ghosts_0(const int n, const double *__restrict__ u_prev, double *__restrict__ u, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    ghosts_0_group(n, u_prev, u, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) ghosts_0_coarsened(const int n, const double *__restrict__ u_prev, double *__restrict__ u, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = 1 + (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = 1 + (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n + 1 && i_next < n + 1) {
        const double here = u_prev[i];
        const double value = here + 1.0;
        const double here_next = u_prev[i_next];
        const double value_next = here_next + 1.0;
        u[i] = value;
        u[i_next] = value_next;
        if (i == 1) {
            u[n + 1] = here;
        }
        if (i_next == 1) {
            u[n + 1] = here_next;
        }
        if (i == n) {
            u[0] = here;
        }
        if (i_next == n) {
            u[0] = here_next;
        }
    } else {
        ghosts_0_group(n, u_prev, u, group, item);
        if (next.x < end) {
            ghosts_0_group(n, u_prev, u, next, item);
        }
    }
}

static __device__ __forceinline__ void in_place_0_group(const int n, double *__restrict__ u, double *__restrict__ first, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        const double here = u[i];
        u[i] = 2.0 * here;
        if (i == 0) {
            first[0] = here;
        }
    }
}

extern "C" __global__ void __launch_bounds__(2) in_place_0(const int n, double *__restrict__ u, double *__restrict__ first, const okl_group first_1) {
    const okl_group group = {first_1.x + blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    in_place_0_group(n, u, first, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) in_place_0_coarsened(const int n, double *__restrict__ u, double *__restrict__ first, const okl_group first_1, const int64_t end) {
    const okl_group group = {first_1.x + 2 * (int64_t)blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double here = u[i];
        const double value = 2.0 * here;
        const double here_next = u[i_next];
        const double value_next = 2.0 * here_next;
        u[i] = value;
        u[i_next] = value_next;
        if (i == 0) {
            first[0] = here;
        }
        if (i_next == 0) {
            first[0] = here_next;
        }
    } else {
        in_place_0_group(n, u, first, group, item);
        if (next.x < end) {
            in_place_0_group(n, u, first, next, item);
        }
    }
}

static __device__ __forceinline__ void two_pointers_0_group(const int n, const double *from, double *to, double *first, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        const double here = from[i];
        to[i] = 2.0 * here;
        if (i == 0) {
            first[0] = here;
        }
    }
}

extern "C" __global__ void __launch_bounds__(2) two_pointers_0(const int n, const double *from, double *to, double *first, const okl_group first_1) {
    const okl_group group = {first_1.x + blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    two_pointers_0_group(n, from, to, first, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) two_pointers_0_coarsened(const int n, const double *from, double *to, double *first, const okl_group first_1, const int64_t end) {
    const okl_group group = {first_1.x + 2 * (int64_t)blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double here = from[i];
        const double value = 2.0 * here;
        const double here_next = from[i_next];
        const double value_next = 2.0 * here_next;
        to[i] = value;
        to[i_next] = value_next;
        if (i == 0) {
            first[0] = here;
        }
        if (i_next == 0) {
            first[0] = here_next;
        }
    } else {
        two_pointers_0_group(n, from, to, first, group, item);
        if (next.x < end) {
            two_pointers_0_group(n, from, to, first, next, item);
        }
    }
}

static __device__ __forceinline__ void changed_0_group(const int n, const double *__restrict__ from, double *__restrict__ to, double *__restrict__ first, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        double x = from[i];
        x += 1.0;
        const double here = x;
        to[i] = here;
        if (i == 0) {
            first[0] = here;
        }
    }
}

extern "C" __global__ void __launch_bounds__(2) changed_0(const int n, const double *__restrict__ from, double *__restrict__ to, double *__restrict__ first, const okl_group first_1) {
    const okl_group group = {first_1.x + blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    changed_0_group(n, from, to, first, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) changed_0_coarsened(const int n, const double *__restrict__ from, double *__restrict__ to, double *__restrict__ first, const okl_group first_1, const int64_t end) {
    const okl_group group = {first_1.x + 2 * (int64_t)blockIdx.x, first_1.y + blockIdx.y, first_1.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        double x = from[i];
        const double value = x + 1.0;
        double x_next = from[i_next];
        const double value_next = x_next + 1.0;
        x = value;
        x_next = value_next;
        const double here = x;
        const double value_1 = here;
        const double here_next = x_next;
        const double value_next_1 = here_next;
        to[i] = value_1;
        to[i_next] = value_next_1;
        if (i == 0) {
            first[0] = here;
        }
        if (i_next == 0) {
            first[0] = here_next;
        }
    } else {
        changed_0_group(n, from, to, first, group, item);
        if (next.x < end) {
            changed_0_group(n, from, to, first, next, item);
        }
    }
}

static __device__ __forceinline__ void after_another_0_group(const int n, const double *__restrict__ from, double *__restrict__ to, double *__restrict__ ends, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        const double here = from[i];
        to[i] = here;
        if (i == 0 || i == n - 1) {
            ends[i == 0 ? 0 : 1] = here;
        }
    }
}

extern "C" __global__ void __launch_bounds__(2) after_another_0(const int n, const double *__restrict__ from, double *__restrict__ to, double *__restrict__ ends, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    after_another_0_group(n, from, to, ends, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) after_another_0_coarsened(const int n, const double *__restrict__ from, double *__restrict__ to, double *__restrict__ ends, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const double here = from[i];
        const double value = here;
        const double here_next = from[i_next];
        const double value_next = here_next;
        to[i] = value;
        to[i_next] = value_next;
        if (i == 0 || i == n - 1) {
            ends[i == 0 ? 0 : 1] = here;
        }
        if (i_next == 0 || i_next == n - 1) {
            ends[i_next == 0 ? 0 : 1] = here_next;
        }
    } else {
        after_another_0_group(n, from, to, ends, group, item);
        if (next.x < end) {
            after_another_0_group(n, from, to, ends, next, item);
        }
    }
}
