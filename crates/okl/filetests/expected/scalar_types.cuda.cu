// CUDA C++, made from OKL.
// @kernel stores: stores_0
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

static __device__ __forceinline__ void stores_0_group(const bool b, const int8_t c, const uint8_t uc, const int16_t s, const uint16_t us, const int i, const uint32_t u, const int64_t l, const uint64_t ul, const float f, const double d, bool *ob, int8_t *oc, uint8_t *ouc, int16_t *os, uint16_t *ous, int *oi, uint32_t *ou, int64_t *ol, uint64_t *oul, float *of, double *od, const okl_group group, const okl_item item) {
    ob[0] = b;
    oc[0] = c - 1;
    ouc[0] = uc + 9;
    os[0] = s - 1;
    ous[0] = us + 1072;
    oi[0] = i - 1;
    ou[0] = u + 7;
    ol[0] = l - 1;
    oul[0] = ul + 7;
    of[0] = f + 0.75f;
    od[0] = d + 0.25;
}

extern "C" __global__ void __launch_bounds__(1) stores_0(const bool b, const int8_t c, const uint8_t uc, const int16_t s, const uint16_t us, const int i, const uint32_t u, const int64_t l, const uint64_t ul, const float f, const double d, bool *ob, int8_t *oc, uint8_t *ouc, int16_t *os, uint16_t *ous, int *oi, uint32_t *ou, int64_t *ol, uint64_t *oul, float *of, double *od, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    stores_0_group(b, c, uc, s, us, i, u, l, ul, f, d, ob, oc, ouc, os, ous, oi, ou, ol, oul, of, od, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void names_0_group(int *out, const okl_group group, const okl_item item) {
    out[0] = 1;
    out[1] = 1;
    out[2] = 1;
    out[3] = 2;
    out[4] = 2;
    out[5] = 4;
    out[6] = 4;
    out[7] = 4;
    out[8] = 8;
    out[9] = 8;
    out[10] = 4;
    out[11] = 8;
}

extern "C" __global__ void __launch_bounds__(1) names_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    names_0_group(out, group, okl_item{0, 0, 0});
}
