// C11, made from OKL.
// @kernel guarded: guarded_0
// @kernel interior: interior_0
// @kernel exits_all_regions: exits_all_regions_0
// @kernel ends_one_region: ends_one_region_0
// @kernel exits_from_loop: exits_from_loop_0
// @kernel returns_in_group_loop: returns_in_group_loop_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void guarded_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 64; i < i_end; ++i) {
        b[i] = b[i] + 2 * (uint32_t)a[i];
    }
}

void guarded_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    guarded_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void interior_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(1, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 64; i < i_end; ++i) {
        b[i] = -1;
    }
    const int64_t i_end_1 = okl_min_i64(end * 64, n - 1);
    OKL_INDEPENDENT
    for (int64_t i = okl_max_i64(1, begin * 64); i < i_end_1; ++i) {
        b[i] = (uint32_t)a[i - 1] + a[i + 1];
    }
    const int64_t i_end_2 = okl_min_i64(end * 64, n);
    OKL_INDEPENDENT
    for (int64_t i = okl_min_i64(okl_max_i64(okl_max_i64(1, begin * 64), n - 1), i_end_2); i < i_end_2; ++i) {
        b[i] = -1;
    }
}

void interior_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    interior_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void exits_all_regions_0_groups(const int n, const int *a, int *b, int *c, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        _Alignas(64) bool done[64];
        const int64_t t_end = okl_min_i64(64, n - (int64_t)g * 64);
        OKL_INDEPENDENT_SHORT
        for (int64_t t = 0; t < t_end; ++t) {
            done[t] = false;
            const int64_t i = g * 64 + t;
            if (a[i] == 3) {
                b[i] = 100;
                done[t] = true;
            } else {
                b[i] = 1;
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t t = okl_min_i64(okl_max_i64(0, n - (int64_t)g * 64), 64); t < 64; ++t) {
            done[t] = false;
            done[t] = true;
        }
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 64; ++t) {
            if (!done[t]) {
                const int64_t i = g * 64 + t;
                c[i] = 7;
            }
        }
    }
}

void exits_all_regions_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    exits_all_regions_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void ends_one_region_0_groups(const int *a, int *b, int *c, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        OKL_INDEPENDENT_GUARDED
        for (int64_t t = 0; t < 50; ++t) {
            const int64_t i = g * 50 + t;
            if (a[i] != 3) {
                b[i] = 1;
                if (a[i] == 5) {
                    b[i] = 6;
                } else {
                    if (a[i] == 7) {
                        continue;
                    }
                    b[i] = (uint32_t)b[i] + 2;
                }
                b[i] = (uint32_t)b[i] * 3;
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t t = 0; t < 50; ++t) {
            c[g * 50 + t] = 7;
        }
    }
}

void ends_one_region_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    ends_one_region_0_groups(arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void exits_from_loop_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    OKL_INDEPENDENT_GUARDED
    for (int64_t i = begin * 32; i < i_end; ++i) {
        int sum = 0;
        for (int64_t k = 0; k < 10; ++k) {
            if (k == 4) {
                continue;
            }
            if ((int)((uint32_t)sum + a[i]) > 40) {
                goto next_1;
            }
            sum = (uint32_t)sum + a[i];
            if (sum > 30) {
                break;
            }
        }
        b[i] = sum;
next_1:;
    }
}

void exits_from_loop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    exits_from_loop_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void returns_in_group_loop_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        _Alignas(64) bool done[64];
        OKL_INDEPENDENT
        for (int64_t t = 0; t < 64; ++t) {
            done[t] = false;
        }
        for (int64_t round = 0; round < 3; ++round) {
            const int64_t t_end = okl_min_i64(64, n - (int64_t)g * 64);
            OKL_INDEPENDENT_GUARDED
            for (int64_t t = 0; t < t_end; ++t) {
                if (!done[t]) {
                    if (a[g * 64 + t] == round) {
                        done[t] = true;
                    } else {
                        b[g * 64 + t] = (uint32_t)b[g * 64 + t] + 1;
                    }
                }
            }
            OKL_INDEPENDENT_SHORT
            for (int64_t t = okl_min_i64(okl_max_i64(0, n - (int64_t)g * 64), 64); t < 64; ++t) {
                if (!done[t]) {
                    done[t] = true;
                }
            }
            OKL_INDEPENDENT_GUARDED
            for (int64_t t = 0; t < 64; ++t) {
                if (!done[t]) {
                    b[g * 64 + t] = (uint32_t)b[g * 64 + t] + 10;
                }
            }
        }
    }
}

void returns_in_group_loop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    returns_in_group_loop_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
