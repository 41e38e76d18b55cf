// C11, made from OKL.
// @kernel steps: steps_0
// @kernel compound: compound_0
// @kernel narrow: narrow_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline void steps_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int64_t k = 0; k < 1; ++k) {
            int a = 5;
            int b;
            int c;
            const int before = a;
            ++a;
            out[0] = before;
            ++a;
            out[1] = a;
            const int before_1 = a;
            --a;
            out[2] = before_1;
            --a;
            out[3] = a;
            --a;
            c = a;
            b = c;
            out[4] = b;
            out[5] = c;
            int64_t at = 6;
            const int64_t before_2 = at;
            ++at;
            out[before_2] = 12;
            out[at] = out[at - 1];
            for (b = 0, c = 10; b < c; ++b, c -= 2) {
                a = b;
            }
            out[8] = a;
            a = 1;
            out[9] = a + 1;
        }
    }
}

void steps_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    steps_0_groups(arguments[0], begin, end);
}

static inline void compound_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int64_t k = 0; k < 1; ++k) {
            int a = 10;
            a += 5;
            out[0] = a;
            a -= 3;
            out[1] = a;
            a *= 3;
            out[2] = a;
            a /= 4;
            out[3] = a;
            a %= 2;
            out[4] = a;
            a <<= 2;
            out[5] = a;
            a >>= 1;
            out[6] = a;
            a |= 8;
            out[7] = a;
            a ^= 4;
            out[8] = a;
            --a;
            out[9] = a & 15;
        }
    }
}

void compound_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    compound_0_groups(arguments[0], begin, end);
}

static inline void narrow_0_groups(uint8_t *c, int16_t *s, float *f, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int64_t k = 0; k < 1; ++k) {
            c[0] = c[0] + 10;
            c[1] = c[1] * 2;
            s[0] = s[0] + 1;
            f[0] += 1.0f;
        }
    }
}

void narrow_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    narrow_0_groups(arguments[0], arguments[1], arguments[2], begin, end);
}
