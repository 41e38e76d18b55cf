// C11, made from OKL.
// @kernel fall: fall_0
// @kernel middle: middle_0
// @kernel in_loop: in_loop_0
// @kernel names: names_0

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

static inline int name(int x) {
    switch (x) {
        case 0: {
            return 10;
        }
        case 5: {
            return 20;
        }
    }
    return -1;
}

static inline void fall_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        int x = 0;
        switch (i) {
            case 0: {
                x += 100;
            }
            // fall through
            case 1: {
                x += 10;
            }
            // fall through
            case 2: {
                ++x;
                break;
            }
            case 3: {
                x = 1000;
                break;
            }
            case 4:
            case 5: {
                x = 500;
                break;
            }
            default: {
                x = 7;
                break;
            }
        }
        out[i] = x;
    }
}

void fall_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    fall_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void middle_0_groups(const int n, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        int x = 0;
        switch (i) {
            case 1: {
                x = 10;
                x += 2;
                break;
            }
            default: {
                x = 3;
                break;
            }
            case 2: {
                x = 20;
                break;
            }
        }
        out[i] = x;
    }
}

void middle_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    middle_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void in_loop_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int t = 0; t < 1; ++t) {
            int sum = 0;
            int turns = 0;
            for (int k = 0; k < 6; ++k) {
                switch (k) {
                    case 1: {
                        continue;
                    }
                    case 4: {
                        sum += 5;
                        break;
                    }
                    default: {
                        switch (k % 2) {
                            case 0: {
                                sum += 2;
                                break;
                            }
                            default: {
                                break;
                            }
                        }
                        break;
                    }
                }
                if (k == 5) {
                    break;
                }
                ++turns;
            }
            out[0] = sum;
            int k = 0;
            while (true) {
                ++k;
                switch (k) {
                    case 3: {
                        break;
                    }
                    default: {
                        continue;
                    }
                }
                break;
            }
            out[1] = k + 100 + turns - turns;
        }
    }
}

void in_loop_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    in_loop_0_groups(arguments[0], begin, end);
}

static inline void names_0_groups(const int n, const int *x, int *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = name(x[i]);
    }
}

void names_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    names_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
