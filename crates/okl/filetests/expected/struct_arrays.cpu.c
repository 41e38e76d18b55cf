// C11, made from OKL.
// @kernel smooth: smooth_0
// @kernel exchange: exchange_0

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

typedef struct Element {
    float weight;
    double node[3];
} Element;
_Static_assert(sizeof(Element) == 32, "size of Element");
_Static_assert(offsetof(Element, weight) == 0, "offset of Element.weight");
_Static_assert(offsetof(Element, node) == 8, "offset of Element.node");

typedef struct Pair {
    int first;
    int second;
} Pair;
_Static_assert(sizeof(Pair) == 8, "size of Pair");
_Static_assert(offsetof(Pair, first) == 0, "offset of Pair.first");
_Static_assert(offsetof(Pair, second) == 4, "offset of Pair.second");

static inline void smooth_0_groups(const Element *e, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int i = 0; i < 2; ++i) {
            Element copies[2];
            copies[0] = e[i];
            copies[1] = copies[0];
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += copies[1].node[k];
            }
            out[i] = copies[0].weight * sum;
        }
    }
}

void smooth_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    smooth_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void exchange_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) Pair s[4];
        _Alignas(64) Pair mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i].first = i;
            mine[i].second = 10 * i;
            s[3 - i] = mine[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            mine[i] = s[i];
            out[i] = mine[i].first + mine[i].second;
        }
    }
}

void exchange_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    exchange_0_groups(arguments[0], begin, end);
}
