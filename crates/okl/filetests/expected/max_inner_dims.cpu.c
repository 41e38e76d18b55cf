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

static inline void fill_0_groups(const int items, int *out, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int o = group * items;
        OKL_INDEPENDENT
        for (int i = 0; i < items; ++i) {
            out[o + i] = o + i;
        }
    }
}

void fill_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    fill_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}
