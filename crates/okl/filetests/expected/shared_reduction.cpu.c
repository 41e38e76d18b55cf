// C11, made from OKL.
// @kernel sum: sum_0

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

static inline int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void sum_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims, (void)scratch;
    const double *x = arguments[0];
    double *out = arguments[1];
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double s[8];
        OKL_INDEPENDENT
        for (int i = 0; i < 8; ++i) {
            s[i] = x[8 * o + i];
        }
        for (int half_1 = 4; half_1 > 0; half_1 /= 2) {
            const int64_t i_1_end = min_i64(8, half_1);
            OKL_INDEPENDENT
            for (int i_1 = 0; i_1 < i_1_end; ++i_1) {
                s[i_1] += s[i_1 + half_1];
            }
        }
        {
            const int i_2 = 0;
            out[o] = s[0];
        }
    }
}
