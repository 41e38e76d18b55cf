// C11, made from OKL.
// @kernel loops: loops_0
// @kernel cases: cases_0
// @kernel arrays: arrays_0
// @kernel group_level: group_level_0
// @kernel picks: picks_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void loops_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 32; i < i_end; ++i) {
        int x = a[i];
        int steps = 0;
        while (x > 1) {
            x = x & 1 ? 3 * x + 1 : x / 2;
            ++steps;
        }
        do {
            ++x;
            if (x == 3) {
                continue;
            }
            steps += x;
        } while (x < 6);
        for (int j = 0, k = 10; j < k; ++j, --k) {
            steps += j * k;
        }
        while (true) {
            const int before = steps;
            --steps;
            if (before % 5 == 0) {
                break;
            }
        }
        int y = 8;
        while (true) {
            const int before = y;
            --y;
            if (before <= 2) break;
            if (y == 5) {
                continue;
            }
            steps += y;
        }
        b[i] = steps;
    }
}

void loops_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    loops_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void cases_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 32; i < i_end; ++i) {
        int r = 0;
        for (int k = 0; k < 3; ++k) {
            switch (a[i] + k) {
                case 0:
                case 1: {
                    ++r;
                    break;
                }
                case 2: {
                    r += 2;
                }
                // fall through
                case 3: {
                    r += 3;
                    break;
                }
                case 4: {
                    continue;
                }
                default: {
                    --r;
                    break;
                }
            }
            r *= 2;
        }
        b[i] = r;
    }
}

void cases_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    cases_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void arrays_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    for (int i = begin * 32; i < i_end; ++i) {
        const int m[2][3] = {{1, 2, 3}, {4}};
        int v[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = a[i] * k + m[k & 1][k % 3];
        }
        b[i] = v[a[i] & 3] - v[3 - (a[i] & 3)];
    }
}

void arrays_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    arrays_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void group_level_0_groups(const int *a, int *b, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        _Alignas(64) int s[100];
        const int base = g * 100;
        int shift = g * 2;
        if (g > 2) {
            OKL_INDEPENDENT_SHORT
            for (int t = 0; t < 100; ++t) {
                s[t] = a[base + t];
            }
        } else {
            OKL_INDEPENDENT_SHORT
            for (int t = 0; t < 100; ++t) {
                s[t] = -a[base + t];
            }
        }
        for (int round_1 = 0; round_1 < 2; ++round_1) {
            shift += 3;
            OKL_INDEPENDENT_SHORT
            for (int t = 0; t < 100; ++t) {
                const int other = (t + shift) % 100;
                b[base + t] += s[other];
            }
        }
    }
}

void group_level_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    group_level_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void picks_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    for (int i = begin * 32; i < i_end; ++i) {
        int r[4];
        r[0] = a[i];
        r[1] = 2 * a[i];
        r[2] = a[i] + 1;
        r[3] = 3;
        b[i] = r[a[i] & 3];
    }
}

void picks_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    picks_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
