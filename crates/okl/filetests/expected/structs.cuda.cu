// CUDA C++, made from OKL.
// @kernel move: move_0
// @kernel padding: padding_0
// @kernel nested: nested_0

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

typedef struct Point {
    double x;
    double y;
    double z;
} Point;
static_assert(sizeof(Point) == 24, "size of Point");

typedef struct Padded {
    int8_t tag;
    double value;
    int16_t count;
} Padded;
static_assert(sizeof(Padded) == 24, "size of Padded");

typedef struct Box {
    Point lo;
    Point hi;
    int id;
} Box;
static_assert(sizeof(Box) == 56, "size of Box");

static __device__ inline Point sum(Point a, Point b) {
    Point s;
    s.x = a.x + b.x;
    s.y = a.y + b.y;
    s.z = a.z + b.z;
    return s;
}

static __device__ inline void touch(Padded *p) {
    p[0].tag = p[0].tag + 1;
    p[0].value *= 2.0;
    p[0].count = p[0].count + 1;
}

static __device__ __forceinline__ void move_0_group(const int n, const Point by, Point *p, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    if (i < n) {
        p[i] = sum(p[i], by);
    }
}

extern "C" __global__ void __launch_bounds__(2) move_0(const int n, const Point by, Point *p, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    move_0_group(n, by, p, group, okl_item{threadIdx.x, 0, 0});
}

extern "C" __global__ void __launch_bounds__(2) move_0_pairs(const int n, const Point by, Point *p, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {threadIdx.x, 0, 0};
    const int i_block = (int)group.x * 2;
    const int i = i_block + (int)item.x;
    const int i_block_next = (int)next.x * 2;
    const int i_next = i_block_next + (int)item.x;
    if (next.x < end && i < n && i_next < n) {
        const Point value = sum(p[i], by);
        const Point value_next = sum(p[i_next], by);
        p[i] = value;
        p[i_next] = value_next;
    } else {
        move_0_group(n, by, p, group, item);
        if (next.x < end) {
            move_0_group(n, by, p, next, item);
        }
    }
}

static __device__ __forceinline__ void padding_0_group(Padded *p, int *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    if (i == 0) {
        out[0] = p[0].tag;
        out[1] = p[0].count;
        out[2] = 24;
    } else {
        out[3] = p[1].count;
    }
    touch(&p[i]);
}

extern "C" __global__ void __launch_bounds__(2) padding_0(Padded *p, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    padding_0_group(p, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void nested_0_group(Box *b, double *out, const okl_group group, const okl_item item) {
    Box mine = b[0];
    const Point corner = {1.0, 2.0, 3.0};
    mine.lo = corner;
    ++mine.id;
    out[0] = mine.hi.x + mine.hi.y + mine.hi.z;
    out[1] = b[0].id;
    out[2] = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
    b[0] = mine;
}

extern "C" __global__ void __launch_bounds__(1) nested_0(Box *b, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    nested_0_group(b, out, group, okl_item{0, 0, 0});
}

extern "C" __global__ void __launch_bounds__(1) nested_0_pairs(Box *b, double *out, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {0, 0, 0};
    if (next.x < end) {
        Box mine = b[0];
        Box mine_next = b[0];
        const Point corner = {1.0, 2.0, 3.0};
        const Point corner_next = {1.0, 2.0, 3.0};
        const Point value = corner;
        const Point value_next = corner_next;
        mine.lo = value;
        mine_next.lo = value_next;
        const int value_1 = mine.id + 1;
        const int value_1_next = mine_next.id + 1;
        mine.id = value_1;
        mine_next.id = value_1_next;
        const double value_2 = mine.hi.x + mine.hi.y + mine.hi.z;
        const double value_2_next = mine_next.hi.x + mine_next.hi.y + mine_next.hi.z;
        out[0] = value_2;
        out[0] = value_2_next;
        const double value_3 = b[0].id;
        const double value_3_next = b[0].id;
        out[1] = value_3;
        out[1] = value_3_next;
        const double value_4 = b[0].hi.x * corner.x + b[0].hi.y * corner.y + b[0].hi.z * corner.z;
        const double value_4_next = b[0].hi.x * corner_next.x + b[0].hi.y * corner_next.y + b[0].hi.z * corner_next.z;
        out[2] = value_4;
        out[2] = value_4_next;
        const Box value_5 = mine;
        const Box value_5_next = mine_next;
        b[0] = value_5;
        b[0] = value_5_next;
    } else {
        nested_0_group(b, out, group, item);
        if (next.x < end) {
            nested_0_group(b, out, next, item);
        }
    }
}
