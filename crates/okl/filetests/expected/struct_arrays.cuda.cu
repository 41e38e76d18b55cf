// CUDA C++, made from OKL.
// @kernel smooth: smooth_0
// @kernel exchange: exchange_0

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

typedef struct Element {
    float weight;
    double node[3];
} Element;
static_assert(sizeof(Element) == 32, "size of Element");

typedef struct Pair {
    int first;
    int second;
} Pair;
static_assert(sizeof(Pair) == 8, "size of Pair");

static __device__ __forceinline__ void smooth_0_group(const Element *e, double *out, const okl_group group, const okl_item item) {
    const int i = item.x;
    Element copies[2];
    copies[0] = e[i];
    copies[1] = copies[0];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += copies[1].node[k];
    }
    out[i] = copies[0].weight * sum;
}

extern "C" __global__ void __launch_bounds__(2) smooth_0(const Element *e, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    smooth_0_group(e, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void exchange_0_group(int *out, const okl_group group, const okl_item item) {
    __shared__ Pair s[4];
    Pair mine;
    {
        const int i = item.x;
        mine.first = i;
        mine.second = 10 * i;
        s[3 - i] = mine;
    }
    __syncthreads();
    {
        const int i = item.x;
        mine = s[i];
        out[i] = mine.first + mine.second;
    }
}

extern "C" __global__ void __launch_bounds__(4) exchange_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    exchange_0_group(out, group, okl_item{threadIdx.x, 0, 0});
}
