// CUDA C++, made from OKL.
// @kernel transpose: transpose_0

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

static __device__ __forceinline__ void transpose_0_group(const int rows, const int columns, const double *in, double *out, const okl_group group, const okl_item item) {
    const int c_block = (int)group.x * 4;
    const int r_block = (int)group.y * 4;
    const int c = c_block + (int)item.x;
    const int r = r_block + (int)item.y;
    if (r < rows) {
        if (c < columns) {
            out[c * rows + r] = in[r * columns + c];
        }
    }
}

extern "C" __global__ void __launch_bounds__(16) transpose_0(const int rows, const int columns, const double *in, double *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    transpose_0_group(rows, columns, in, out, group, okl_item{threadIdx.x, threadIdx.y, 0});
}
