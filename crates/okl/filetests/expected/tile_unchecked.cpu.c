// C11, made from OKL.
// @kernel fill: fill_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the turns of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void fill_0_groups(int *out, int64_t begin, int64_t end) {
    const int64_t i_end = end * 4;
    // In two parts: up to where whole cache lines begin, and from there on.
    for (int64_t i_begin = begin * 4, i_stop = okl_min_i64(i_begin + (-i_begin & 15), i_end); i_begin < i_end; i_begin = i_stop, i_stop = i_end) {
        OKL_INDEPENDENT
        for (int i = i_begin; i < i_stop; ++i) {
            out[i] = i;
        }
    }
}

void fill_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    fill_0_groups(arguments[0], begin, end);
}
