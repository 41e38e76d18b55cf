// C11, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel scalar: scalar_0

#include <stdbool.h>
#include <stdint.h>

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

void reverse_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims, (void)scratch;
    double *x = arguments[0];
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[4];
        OKL_INDEPENDENT
        for (int i = 0; i < 4; ++i) {
            s[i] = x[4 * o + i];
        }
        OKL_INDEPENDENT
        for (int i_1 = 0; i_1 < 4; ++i_1) {
            x[4 * o + i_1] = s[3 - i_1];
        }
    }
}

void transpose_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims, (void)scratch;
    const int *in_1 = arguments[0];
    int *out = arguments[1];
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4][5];
        for (int j = 0; j < 4; ++j) {
            OKL_INDEPENDENT
            for (int i = 0; i < 4; ++i) {
                s[j][i] = in_1[4 * j + i];
            }
        }
        for (int j_1 = 0; j_1 < 4; ++j_1) {
            OKL_INDEPENDENT
            for (int i_1 = 0; i_1 < 4; ++i_1) {
                out[4 * j_1 + i_1] = s[i_1][j_1];
            }
        }
    }
}

void scalar_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims, (void)scratch;
    int *out = arguments[0];
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int total;
        {
            const int i = 1;
            total = 7 * o;
        }
        OKL_INDEPENDENT
        for (int i_1 = 0; i_1 < 2; ++i_1) {
            out[2 * o + i_1] = total;
        }
    }
}
