// C11, made from OKL.
// @kernel mirror: mirror_0

#include <stdbool.h>
#include <stddef.h>
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

typedef struct Pair {
    double value;
    int index;
} Pair;
_Static_assert(sizeof(Pair) == 16, "size of Pair");
_Static_assert(offsetof(Pair, value) == 0, "offset of Pair.value");
_Static_assert(offsetof(Pair, index) == 8, "offset of Pair.index");

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void mirror_0_groups(const double *x, double *y, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        _Alignas(64) double table[4][2048];
        _Alignas(64) Pair last;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            table[i][i] = x[4 * g + i];
        }
        {
            const int i = 3;
            last.value = x[4 * g + i];
            last.index = i;
        }
        if (0 < last.index) {
            const int i = 0;
            y[4 * g + i] = last.value;
        }
        const int64_t i_end = okl_min_i64(4, last.index);
        OKL_INDEPENDENT_SHORT
        for (int i = 1; i < i_end; ++i) {
            y[4 * g + i] = table[3 - i][3 - i];
        }
        if (0 <= last.index && last.index < 4) {
            const int i = last.index;
            y[4 * g + i] = table[0][0];
        }
        if ((int64_t)last.index + 1 <= 0) {
            const int i = 0;
            y[4 * g + i] = last.value;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = okl_min_i64(okl_max_i64(1, (int64_t)last.index + 1), 4); i < 4; ++i) {
            y[4 * g + i] = table[3 - i][3 - i];
        }
    }
}

void mirror_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    mirror_0_groups(arguments[0], arguments[1], begin, end);
}
