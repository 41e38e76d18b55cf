// C11, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

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

static inline void stores_0_groups(const bool b, const int8_t c, const uint8_t uc, const int16_t s, const uint16_t us, const int i, const uint32_t u, const int64_t l, const uint64_t ul, const float f, const double d, bool *ob, int8_t *oc, uint8_t *ouc, int16_t *os, uint16_t *ous, int *oi, uint32_t *ou, int64_t *ol, uint64_t *oul, float *of, double *od, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            ob[0] = b;
            oc[0] = c - 1;
            ouc[0] = uc + 9;
            os[0] = s - 1;
            ous[0] = us + 1072;
            oi[0] = i - 1;
            ou[0] = u + 7;
            ol[0] = l - 1;
            oul[0] = ul + 7;
            of[0] = f + 0.75f;
            od[0] = d + 0.25;
        }
    }
}

void stores_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    stores_0_groups(*(const bool *)arguments[0], *(const int8_t *)arguments[1], *(const uint8_t *)arguments[2], *(const int16_t *)arguments[3], *(const uint16_t *)arguments[4], *(const int *)arguments[5], *(const uint32_t *)arguments[6], *(const int64_t *)arguments[7], *(const uint64_t *)arguments[8], *(const float *)arguments[9], *(const double *)arguments[10], arguments[11], arguments[12], arguments[13], arguments[14], arguments[15], arguments[16], arguments[17], arguments[18], arguments[19], arguments[20], arguments[21], begin, end);
}

static inline void names_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int k = 0; k < 1; ++k) {
            out[0] = 1;
            out[1] = 1;
            out[2] = 1;
            out[3] = 2;
            out[4] = 2;
            out[5] = 4;
            out[6] = 4;
            out[7] = 4;
            out[8] = 8;
            out[9] = 8;
            out[10] = 4;
            out[11] = 8;
        }
    }
}

void names_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    names_0_groups(arguments[0], begin, end);
}
