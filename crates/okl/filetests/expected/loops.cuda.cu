// CUDA C++, made from OKL.
// @kernel sums: sums_0
// @kernel primes: primes_0
// @kernel collatz: collatz_0
// @kernel once: once_0

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

static __device__ __forceinline__ void sums_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    int a = 0;
    int b = 0;
    int c = 0;
    int d = 0;
    int e = 0;
    for (int i = 0; i < n; ++i) {
        a += i;
    }
    int i = 0;
    while (i < n) {
        b += i;
        ++i;
    }
    i = 0;
    while (true) {
        c += i;
        ++i;
        if (i >= n) break;
    }
    for (int k = 0; k < n; ++k) {
        if (k % 2 == 0) {
            continue;
        }
        d += k;
    }
    while (true) {
        if (e > 5) {
            break;
        }
        ++e;
    }
    int f = 0;
    while (f > 0) {
        ++f;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
}

extern "C" __global__ void __launch_bounds__(1) sums_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    sums_0_group(n, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void primes_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    int found = 0;
    for (int p = 2; p < n; ++p) {
        bool prime = true;
        for (int d = 2; d * d <= p; ++d) {
            if (p % d == 0) {
                prime = false;
                break;
            }
        }
        if (!prime) {
            continue;
        }
        const int before = found;
        ++found;
        out[before] = p;
    }
}

extern "C" __global__ void __launch_bounds__(1) primes_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    primes_0_group(n, out, group, okl_item{0, 0, 0});
}

static __device__ __forceinline__ void collatz_0_group(const int n, int *out, const okl_group group, const okl_item item) {
    const int i_block = (int)group.x * 4;
    const int i = i_block + (int)item.x;
    if (i < n) {
        int x = i + 1;
        int turns = 0;
        while (x != 1) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            ++turns;
        }
        out[i] = turns;
    }
}

extern "C" __global__ void __launch_bounds__(4) collatz_0(const int n, int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    collatz_0_group(n, out, group, okl_item{threadIdx.x, 0, 0});
}

static __device__ __forceinline__ void once_0_group(int *out, const okl_group group, const okl_item item) {
    int a = 0;
    do {
        ++a;
        if (a == 1) {
            continue;
        }
        a = 100;
    } while (a > 1);
    out[0] = a;
    int turns = 0;
    int left = 5;
    while (true) {
        const int before = left;
        --left;
        if (before <= 0) break;
        if (left == 3) {
            continue;
        }
        if (left == 1) {
            break;
        }
        ++turns;
    }
    out[1] = turns + left;
    int last = 0;
    for (int k = 0, m = 8; k < m; ++k, --m) {
        last = m;
    }
    out[2] = last - 1;
}

extern "C" __global__ void __launch_bounds__(1) once_0(int *out, const okl_group first) {
    const okl_group group = {first.x + blockIdx.x, first.y + blockIdx.y, first.z + blockIdx.z};
    once_0_group(out, group, okl_item{0, 0, 0});
}
