// C11, made from OKL.
// @kernel leads: leads_0
// @kernel computes: computes_0
// @kernel backwards: backwards_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
// OKL_WRITTEN_OUT_ROWS: gcc writes the loop's few iterations out; clang makes vectors of rows.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#define OKL_WRITTEN_OUT_ROWS
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#define OKL_WRITTEN_OUT_ROWS _Pragma("GCC unroll 4")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#define OKL_WRITTEN_OUT_ROWS
#endif

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int twice(int x) {
    return 2 * x;
}

static inline void leads_0_groups(const float *in, float *out, int64_t begin, int64_t end) {
    const int64_t base_end = end * 8;
    OKL_INDEPENDENT_GUARDED
    for (int64_t base = begin * 8; base < base_end; ++base) {
        float sum = 0.0f;
        OKL_WRITTEN_OUT_ROWS
        for (int64_t m = 0; m < 3; ++m) {
            const int64_t at = base * 3 - m;
            if (at > 0) {
                sum += in[at];
            }
        }
        out[base] = sum;
    }
}

void leads_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    leads_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void computes_0_groups(const float *in, float *out, int64_t begin, int64_t end) {
    for (int e = begin; e < end; ++e) {
        const int base = e * 8;
        const int value = base + 1;
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            const int64_t at = base + i;
            out[at] = in[base + i / 4] * value + twice(i);
        }
    }
}

void computes_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    computes_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void backwards_0_groups(const int64_t n, const float *in, float *out, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 4; i < i_end; ++i) {
        const int64_t other = (int)(n - 1 - i);
        out[i] = in[other];
    }
}

void backwards_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    backwards_0_groups(*(const int64_t *)arguments[0], arguments[1], arguments[2], begin, end);
}
