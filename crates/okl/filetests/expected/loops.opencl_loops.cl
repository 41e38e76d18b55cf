// OpenCL C, made from OKL.
// @kernel sums: sums_0
// @kernel primes: primes_0
// @kernel collatz: collatz_0
// @kernel once: once_0

#ifndef OKL_FP_CONTRACT_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline long okl_min_long(long a, long b) {
    return a < b ? a : b;
}

static inline void sums_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int t = 0; t < 1; ++t) {
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
    }
}

typedef struct { long out_start, dims[6], stretch; } sums_0_launch;

__kernel void sums_0(const int n, __global int *out_buffer, const sums_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    sums_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void primes_0_groups(const int n, __global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int t = 0; t < 1; ++t) {
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
    }
}

typedef struct { long out_start, dims[6], stretch; } primes_0_launch;

__kernel void primes_0(const int n, __global int *out_buffer, const primes_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    primes_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void collatz_0_groups(const int n, __global int *out, const long begin, const long end) {
    const long i_end = okl_min_long(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        int x = i + 1;
        int turns = 0;
        while (x != 1) {
            x = x % 2 ? 3 * x + 1 : x / 2;
            ++turns;
        }
        out[i] = turns;
    }
}

typedef struct { long out_start, dims[6], stretch; } collatz_0_launch;

__kernel void collatz_0(const int n, __global int *out_buffer, const collatz_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    collatz_0_groups(n, out_buffer + launch.out_start, begin, end);
}

static inline void once_0_groups(__global int *out, const long begin, const long end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int t = 0; t < 1; ++t) {
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
    }
}

typedef struct { long out_start, dims[6], stretch; } once_0_launch;

__kernel void once_0(__global int *out_buffer, const once_0_launch launch) {
    const long begin = (long)get_global_id(0) * launch.stretch;
    const long end = min(begin + launch.stretch, launch.dims[0] * launch.dims[1] * launch.dims[2]);
    once_0_groups(out_buffer + launch.out_start, begin, end);
}
