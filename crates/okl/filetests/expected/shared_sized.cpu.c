// C11, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel pairs: pairs_0
// @kernel late: late_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
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

typedef struct pair {
    int first;
    int second;
} pair;
_Static_assert(sizeof(pair) == 8, "size of pair");
_Static_assert(offsetof(pair, first) == 0, "offset of pair.first");
_Static_assert(offsetof(pair, second) == 4, "offset of pair.second");

static inline int read(const pair *p, int i) {
    return p[i].first + 10 * p[i].second;
}

static inline void reverse_0_groups(const int n, const float *x, float *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) float s[5];
        OKL_INDEPENDENT
        for (int i = 0; i < n; ++i) {
            s[i] = x[n * o + i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < n; ++i) {
            y[n * o + i] = s[n - 1 - i];
        }
    }
}

void reverse_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    reverse_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void transpose_0_groups(const int rows, const int16_t columns, const int *a, int *b, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[3][5];
        for (int i = 0; i < rows; ++i) {
            OKL_INDEPENDENT
            for (int j = 0; j < columns; ++j) {
                (&s[0][0])[(int64_t)i * 5 + j] = a[i * columns + j];
            }
        }
        for (int i = 0; i < rows; ++i) {
            const int64_t row_offset = (int64_t)i * 5;
            OKL_INDEPENDENT
            for (int j = 0; j < columns; ++j) {
                b[j * rows + i] = (&s[0][0])[row_offset + j];
            }
        }
    }
}

void transpose_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    transpose_0_groups(*(const int *)arguments[0], *(const int16_t *)arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void pairs_0_groups(const int n, const int *x, int *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) pair s[8];
        OKL_INDEPENDENT
        for (int i = 0; i < n; ++i) {
            s[n - 1 - i].second = x[i];
            s[i].first = x[i];
        }
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < n; ++i) {
            y[i] = read(s, i);
        }
    }
}

void pairs_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    pairs_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void late_0_groups(const int n, const int first, const int *x, int *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int s[4];
        OKL_INDEPENDENT
        for (int i = 0; i < n; ++i) {
            s[i] = x[i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < n; ++i) {
            y[i] = s[first];
        }
    }
}

void late_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    late_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], begin, end);
}
