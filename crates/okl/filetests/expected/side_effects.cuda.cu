// CUDA C++, made from OKL.
// @kernel steps: steps_0
// @kernel compound: compound_0
// @kernel narrow: narrow_0

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

static __device__ __forceinline__ void steps_0_group(int *out, const okl_group group, const okl_item item) {
    int a = 5;
    int b;
    int c;
    const int before = a;
    ++a;
    out[0] = before;
    ++a;
    out[1] = a;
    const int before_1 = a;
    --a;
    out[2] = before_1;
    --a;
    out[3] = a;
    --a;
    c = a;
    b = c;
    out[4] = b;
    out[5] = c;
    int at = 6;
    const int before_2 = at;
    ++at;
    out[before_2] = 12;
    out[at] = out[at - 1];
    for (b = 0, c = 10; b < c; ++b, c -= 2) {
        a = b;
    }
    out[8] = a;
    a = 1;
    out[9] = a + 1;
}

extern "C" __global__ void __launch_bounds__(1) steps_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    steps_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void compound_0_group(int *out, const okl_group group, const okl_item item) {
    int a = 10;
    a += 5;
    out[0] = a;
    a -= 3;
    out[1] = a;
    a *= 3;
    out[2] = a;
    a /= 4;
    out[3] = a;
    a %= 2;
    out[4] = a;
    a <<= 2;
    out[5] = a;
    a >>= 1;
    out[6] = a;
    a |= 8;
    out[7] = a;
    a ^= 4;
    out[8] = a;
    --a;
    out[9] = a & 15;
}

extern "C" __global__ void __launch_bounds__(1) compound_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    compound_0_group(out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void narrow_0_group(uint8_t *c, int16_t *s, float *f, const okl_group group, const okl_item item) {
    c[0] = c[0] + 10;
    c[1] = c[1] * 2;
    s[0] = s[0] + 1;
    f[0] += 1.0f;
}

extern "C" __global__ void __launch_bounds__(1) narrow_0(uint8_t *c, int16_t *s, float *f, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    narrow_0_group(c, s, f, group, okl_item{0, 0, 0});
}

extern "C" __global__ void __launch_bounds__(1) narrow_0_pairs(uint8_t *c, int16_t *s, float *f, const okl_group first, const int64_t end) {
    const okl_group group = {first.x + 2 * (int64_t)blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    const okl_group next = {group.x + 1, group.y, group.z};
    const okl_item item = {0, 0, 0};
    if (next.x < end) {
        const uint8_t value = c[0] + 10;
        const uint8_t value_next = c[0] + 10;
        c[0] = value;
        c[0] = value_next;
        const uint8_t value_1 = c[1] * 2;
        const uint8_t value_1_next = c[1] * 2;
        c[1] = value_1;
        c[1] = value_1_next;
        const int16_t value_2 = s[0] + 1;
        const int16_t value_2_next = s[0] + 1;
        s[0] = value_2;
        s[0] = value_2_next;
        const float value_3 = f[0] + 1.0f;
        const float value_3_next = f[0] + 1.0f;
        f[0] = value_3;
        f[0] = value_3_next;
    } else {
        narrow_0_group(c, s, f, group, item);
        if (next.x < end) {
            narrow_0_group(c, s, f, next, item);
        }
    }
}
