// C11, made from OKL.
// @kernel sums: sums_0
// @kernel primes: primes_0
// @kernel collatz: collatz_0
// @kernel once: once_0

#include <stdbool.h>
#include <stdint.h>

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

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void sums_0_groups(const int n, int *out, int64_t begin, int64_t end) {
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

void sums_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    sums_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void primes_0_groups(const int n, int *out, int64_t begin, int64_t end) {
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

void primes_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    primes_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void collatz_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
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

void collatz_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    collatz_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void once_0_groups(int *out, int64_t begin, int64_t end) {
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

void once_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    once_0_groups(arguments[0], begin, end);
}
