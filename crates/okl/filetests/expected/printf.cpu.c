// C11, made from OKL.
// @kernel forms: forms_0
// @kernel narrow: narrow_0
// @kernel in_loops: in_loops_0
// @kernel behind_barriers: behind_barriers_0
// @kernel in_functions: in_functions_0
// @kernel lazily: lazily_0

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

// The value of a half.
static inline float okl_f32_of_f16(uint16_t half) {
#if defined(__clang__) && defined(__F16C__)
    const union { uint16_t bits; __fp16 value; } given = {half};
    return (float)given.value;
#else
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, rest = (uint32_t)(half & 0x7fffu) << 13;
    // A subnormal half is a multiple of 2^-24: what it adds to 2^-14.
    const union { uint32_t bits; float value; } more = {rest + 0x38800000u}, least = {0x38800000u};
    const union { float value; uint32_t bits; } subnormal = {more.value - least.value};
    const uint32_t finite = rest < 0x00800000u ? subnormal.bits : rest + 0x38000000u;
    // The exponent of infinities and NaNs is all ones in both types.
    const union { uint32_t bits; float value; } result = {sign | finite | (rest < 0x0f800000u ? 0u : 0x7f800000u)};
    return result.value;
#endif
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline double twice(int i, double x) {
    printf("f(%g)\n", x);
    if (i < 0) {
        return 0.0;
    }
    printf("at %d\n", i);
    return 2.0 * x;
}

static inline void none(int i) {
    if (i > 0) {
        printf("none\n");
    }
}

static inline bool odd(int i) {
    printf("odd %d\n", i);
    return true;
}

static inline void forms_0_groups(const int n, const int d, const uint32_t u, const int64_t l, const float x, const double y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t i = begin * 64; i < i_end; ++i) {
        printf("%d|%5d|%.4d|%-5d|%x|%#X|%#o|%u\n", d, d, d, d, u, u, u, u);
        printf("%lld %llu %d %u\n", (long long)l, (unsigned long long)(uint64_t)l, (int)(int16_t)d, 1u);
        printf("%f %g %.2e %g %a %+G\n", x, x, x, y, x, x);
        printf("100%% \"\?\?=\" 'a/b' x\n");
    }
}

void forms_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    forms_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const uint32_t *)arguments[2], *(const int64_t *)arguments[3], *(const float *)arguments[4], *(const double *)arguments[5], begin, end);
    fflush(stdout);
}

static inline void narrow_0_groups(const int8_t c, const int16_t s, const bool b, const uint16_t h, int64_t begin, int64_t end) {
    const int64_t i_end = end;
    for (int64_t i = begin; i < i_end; ++i) {
        printf("%c %d %d %g %u %d\n", (int)c, (int)s, (int)b, okl_f32_of_f16(h), (uint32_t)c, (int)s);
    }
}

void narrow_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    narrow_0_groups(*(const int8_t *)arguments[0], *(const int16_t *)arguments[1], *(const bool *)arguments[2], *(const uint16_t *)arguments[3], begin, end);
    fflush(stdout);
}

static inline void in_loops_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int i = 0; i < n; ++i) {
            int sum = 0;
            for (int k = 0; k < n; ++k) {
                if (k < i) {
                    printf("%d: %d\n", i, (int)((uint32_t)sum + a[i] + k));
                }
                sum = (uint32_t)sum + a[k];
                sum = sum - ((uint32_t)a[k] - a[i]);
            }
            b[i] = (uint32_t)sum - a[i] + 1;
        }
        for (int i = 0; i < n; ++i) {
            printf("%d is %d\n", i, a[i]);
        }
    }
}

void in_loops_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    in_loops_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
    fflush(stdout);
}

static inline void behind_barriers_0_groups(int *a, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        OKL_INDEPENDENT_SHORT
        for (int64_t i = 0; i < 4; ++i) {
            s[3 - i] = a[i];
        }
        for (int64_t i = 0; i < 4; ++i) {
            a[i] = s[i];
            if (s[i] == 4) {
                printf("%d is last\n", s[i]);
            } else {
                printf("%d\n", s[i]);
            }
        }
    }
}

void behind_barriers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    behind_barriers_0_groups(arguments[0], begin, end);
    fflush(stdout);
}

static inline void in_functions_0_groups(const int n, double *a, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        double result;
        result = twice(i, a[i]);
        a[i] = result;
        none(i);
    }
}

void in_functions_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    in_functions_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
    fflush(stdout);
}

static inline void lazily_0_groups(const int n, int *a, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    for (int i = begin * 4; i < i_end; ++i) {
        bool holds = i % 2 == 1;
        if (holds) {
            bool result;
            result = odd(i);
            holds = result;
        }
        a[i] = holds;
    }
}

void lazily_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    lazily_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
    fflush(stdout);
}
