// C11, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0
// @kernel stop_twice: stop_twice_0
// @kernel from_loop: from_loop_0

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

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void skip_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < 4; ++i) {
            if (!(i % 2)) {
                out[i] = (uint32_t)out[i] + 1;
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            out[i] = (uint32_t)out[i] + 10;
        }
    }
}

void skip_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    skip_0_groups(arguments[0], begin, end);
}

static inline void stop_0_groups(const int n, const int *x, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        _Alignas(64) bool done[4];
        const int64_t i_end = okl_min_i64(4, n - (int64_t)o * 4);
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < i_end; ++i) {
            done[i] = false;
            s[i] = x[4 * o + i];
            out[4 * o + i] = (uint32_t)out[4 * o + i] + s[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = okl_min_i64(okl_max_i64(0, n - (int64_t)o * 4), 4); i < 4; ++i) {
            done[i] = false;
            s[i] = x[4 * o + i];
            done[i] = true;
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 4; ++i) {
            if (!done[i]) {
                out[4 * o + i] = out[4 * o + i] + ((uint32_t)s[3 - i] + 1);
            }
        }
    }
}

void stop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    stop_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void stop_twice_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) bool done[4];
        {
            const int64_t i = 0;
            done[i] = false;
            done[i] = true;
        }
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 1; i < 4; ++i) {
            done[i] = false;
            out[4 * o + i] = (uint32_t)out[4 * o + i] + 1;
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 1; ++i) {
            if (!done[i]) {
                out[4 * o + i] = (uint32_t)out[4 * o + i] + 2;
            }
        }
        {
            const int64_t i = 1;
            if (!done[i]) {
                done[i] = true;
            }
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 2; i < 4; ++i) {
            if (!done[i]) {
                out[4 * o + i] = (uint32_t)out[4 * o + i] + 2;
            }
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 4; ++i) {
            if (!done[i]) {
                out[4 * o + i] = (uint32_t)out[4 * o + i] + 8;
            }
        }
    }
}

void stop_twice_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    stop_twice_0_groups(arguments[0], begin, end);
}

static inline void from_loop_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) bool done[4];
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 2; ++i) {
            done[i] = false;
            for (int64_t k = 0; k < 10; ++k) {
                if (k == i) {
                    done[i] = true;
                    goto next_1;
                }
                if (k == 2) {
                    break;
                }
                out[i] = (uint32_t)out[i] + 1;
            }
next_1:;
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 2; i < 4; ++i) {
            done[i] = false;
            for (int64_t k = 0; k < 10; ++k) {
                if (k == i && false) {
                    done[i] = true;
                    goto next_2;
                }
                if (k == 2) {
                    break;
                }
                out[i] = (uint32_t)out[i] + 1;
            }
next_2:;
        }
        OKL_INDEPENDENT_GUARDED
        for (int64_t i = 0; i < 4; ++i) {
            if (!done[i]) {
                out[i] = (uint32_t)out[i] + 100;
            }
        }
    }
}

void from_loop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    from_loop_0_groups(arguments[0], begin, end);
}
