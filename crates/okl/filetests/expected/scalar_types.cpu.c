// C11, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred turns at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

void stores_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    const bool b = *(const bool *)arguments[0];
    const int8_t c = *(const int8_t *)arguments[1];
    const uint8_t uc = *(const uint8_t *)arguments[2];
    const int16_t s = *(const int16_t *)arguments[3];
    const uint16_t us = *(const uint16_t *)arguments[4];
    const int i = *(const int *)arguments[5];
    const uint32_t u = *(const uint32_t *)arguments[6];
    const int64_t l = *(const int64_t *)arguments[7];
    const uint64_t ul = *(const uint64_t *)arguments[8];
    const float f = *(const float *)arguments[9];
    const double d = *(const double *)arguments[10];
    bool *ob = arguments[11];
    int8_t *oc = arguments[12];
    uint8_t *ouc = arguments[13];
    int16_t *os = arguments[14];
    uint16_t *ous = arguments[15];
    int *oi = arguments[16];
    uint32_t *ou = arguments[17];
    int64_t *ol = arguments[18];
    uint64_t *oul = arguments[19];
    float *of = arguments[20];
    double *od = arguments[21];
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

void names_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    int *out = arguments[0];
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
