// C11, made from OKL.
// @kernel fill: fill_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline void fill_0_groups(int *out, int64_t begin, int64_t end) {
    const int64_t i_end = end * 4;
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        out[i] = i;
    }
}

void fill_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    fill_0_groups(arguments[0], begin, end);
}
