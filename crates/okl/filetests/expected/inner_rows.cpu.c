// C11, made from OKL.
// @kernel rows: rows_0
// @kernel twice: twice_0
// @kernel branches: branches_0
// @kernel three: three_0
// @kernel in_loop: in_loop_0

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

static inline int okl_atomic_add_i32(int *at, int value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline int okl_update_add_i32(int *at, int value) {
    const int old = *at;
    *at = (uint64_t)old + value;
    return old;
}

static inline void rows_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[2];
        OKL_INDEPENDENT_SHORT
        for (int j = 0; j < 2; ++j) {
            s[j] = in[4 * o + 2 * j] + in[4 * o + 2 * j + 1] - j;
        }
        for (int j = 0; j < 2; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 2; ++k) {
                out[4 * o + 2 * j + k] = 10 * s[j] + s[1 - j] * k;
            }
        }
    }
}

void rows_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rows_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void twice_0_groups(int *out, int *sums, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[3];
        OKL_INDEPENDENT_SHORT
        for (int j = 0; j < 3; ++j) {
            s[j] = 3;
        }
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 4; ++k) {
                okl_update_add_i32(&s[j], 1);
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int j = 0; j < 3; ++j) {
            s[j] -= 3;
        }
        OKL_INDEPENDENT_SHORT
        for (int j = 0; j < 3; ++j) {
            out[j] = s[j] + j;
        }
        OKL_INDEPENDENT_SHORT
        for (int j = 0; j < 3; ++j) {
            sums[j] = s[(j + 1) % 3];
        }
    }
}

void twice_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    twice_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void branches_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[2];
        OKL_INDEPENDENT_GUARDED
        for (int j = 0; j < 2; ++j) {
            {
                if (in[2 * o + j] > 1) {
                    s[j] = 1;
                    for (int k = 0; k < 3; ++k) {
                        s[j] += in[(2 * o + j) % 3] > k ? 1 : 0;
                    }
                } else {
                    s[j] = 1;
                }
            }
        }
        for (int j = 0; j < 2; ++j) {
            okl_update_add_i32(&s[j], j == 0 && o == 1 ? 3 : 0);
        }
        for (int j = 0; j < 2; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int k = 0; k < 2; ++k) {
                out[4 * o + 2 * j + k] = s[j] + k;
            }
        }
    }
}

void branches_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    branches_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void three_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int a = 0; a < 2; ++a) {
            out[a] = 1;
        }
        OKL_INDEPENDENT_SHORT
        for (int a = 0; a < 2; ++a) {
            out[2 + a] = 1;
        }
        for (int a = 0; a < 2; ++a) {
            OKL_INDEPENDENT_SHORT
            for (int b = 0; b < 2; ++b) {
                ++out[2 * b + a];
            }
        }
        for (int a = 0; a < 2; ++a) {
            for (int b = 0; b < 2; ++b) {
                for (int c = 0; c < 10; ++c) {
                    okl_atomic_add_i32(&out[2 * b + a], 1);
                }
            }
        }
    }
}

void three_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    three_0_groups(arguments[0], begin, end);
}

static inline void in_loop_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[2];
        OKL_INDEPENDENT_SHORT
        for (int j = 0; j < 2; ++j) {
            s[j] = 0;
        }
        for (int step = 0; step < n; ++step) {
            OKL_INDEPENDENT_SHORT
            for (int j = 0; j < 2; ++j) {
                s[j] += 10;
            }
            for (int j = 0; j < 2; ++j) {
                OKL_INDEPENDENT_SHORT
                for (int k = 0; k < 2; ++k) {
                    out[2 * j + k] = s[j] + k;
                }
            }
        }
    }
}

void in_loop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    in_loop_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
