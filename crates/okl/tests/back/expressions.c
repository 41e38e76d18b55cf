// C11, made from OKL.
// @kernel integers: integers_0
// @kernel floats: floats_0
// @kernel logic: logic_0

#include <stdbool.h>
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

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void integers_0_groups(const int n, const int8_t *a, const uint8_t *b, const int16_t *s, const uint32_t *u, int64_t *l, uint64_t *m, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(5, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 64; i < i_end; ++i) {
        const int small = a[i] * b[i] - (s[i] << 3);
        const uint32_t wraps = u[i] - 9;
        const uint8_t narrow = b[i] * 37;
        const int8_t cut = (int8_t)(wraps >> 2);
        l[i] = small + (int64_t)wraps * 5 - -cut + (a[i] - (b[i] - s[i]));
        l[i] += wraps > 10 ? i : -1;
        l[i] ^= (~(int64_t)small & 255) | 12;
        l[i] -= i % 7 * 2 / 3;
        m[i] = (uint64_t)-small + narrow;
        m[i] += u[i] * 4000000000u;
        m[i] = (m[i] << (i & 7)) | (m[i] >> 60);
        if ((uint32_t)small < u[i]) {
            ++m[i];
        }
        l[i] += !(small > 3) + (true == (b[i] > 2));
    }
    if (begin * 64 <= 5 && 5 < n) {
        const int i = 5;
        const int small = a[i] * b[i] - (s[i] << 3);
        const uint32_t wraps = u[i] - 9;
        const uint8_t narrow = b[i] * 37;
        const int8_t cut = (int8_t)(wraps >> 2);
        l[i] = small + (int64_t)wraps * 5 - -cut + (a[i] - (b[i] - s[i]));
        l[i] += wraps > 10 ? i : -1;
        l[i] ^= (~(int64_t)small & 255) | 12;
        l[i] -= i % 7 * 2 / 3;
        m[i] = (uint64_t)-small + narrow;
        m[i] += u[i] * 4000000000u;
        m[i] = (m[i] << (i & 7)) | (m[i] >> 60);
        l[i] = INT64_MIN;
        if ((uint32_t)small < u[i]) {
            ++m[i];
        }
        l[i] += !(small > 3) + (true == (b[i] > 2));
    }
    if (begin * 64 <= 6 && 6 < n) {
        const int i = 6;
        const int small = a[i] * b[i] - (s[i] << 3);
        const uint32_t wraps = u[i] - 9;
        const uint8_t narrow = b[i] * 37;
        const int8_t cut = (int8_t)(wraps >> 2);
        l[i] = small + (int64_t)wraps * 5 - -cut + (a[i] - (b[i] - s[i]));
        l[i] += wraps > 10 ? i : -1;
        l[i] ^= (~(int64_t)small & 255) | 12;
        l[i] -= i % 7 * 2 / 3;
        m[i] = (uint64_t)-small + narrow;
        m[i] += u[i] * 4000000000u;
        m[i] = (m[i] << (i & 7)) | (m[i] >> 60);
        l[i] = INT32_MIN;
        if ((uint32_t)small < u[i]) {
            ++m[i];
        }
        l[i] += !(small > 3) + (true == (b[i] > 2));
    }
    if (begin * 64 <= 7 && 7 < n) {
        const int i = 7;
        const int small = a[i] * b[i] - (s[i] << 3);
        const uint32_t wraps = u[i] - 9;
        const uint8_t narrow = b[i] * 37;
        const int8_t cut = (int8_t)(wraps >> 2);
        l[i] = small + (int64_t)wraps * 5 - -cut + (a[i] - (b[i] - s[i]));
        l[i] += wraps > 10 ? i : -1;
        l[i] ^= (~(int64_t)small & 255) | 12;
        l[i] -= i % 7 * 2 / 3;
        m[i] = (uint64_t)-small + narrow;
        m[i] += u[i] * 4000000000u;
        m[i] = (m[i] << (i & 7)) | (m[i] >> 60);
        m[i] = 18446744073709551615ull;
        if ((uint32_t)small < u[i]) {
            ++m[i];
        }
        l[i] += !(small > 3) + (true == (b[i] > 2));
    }
    const int64_t i_end_1 = okl_min_i64(end * 64, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = okl_max_i64(8, begin * 64); i < i_end_1; ++i) {
        const int small = a[i] * b[i] - (s[i] << 3);
        const uint32_t wraps = u[i] - 9;
        const uint8_t narrow = b[i] * 37;
        const int8_t cut = (int8_t)(wraps >> 2);
        l[i] = small + (int64_t)wraps * 5 - -cut + (a[i] - (b[i] - s[i]));
        l[i] += wraps > 10 ? i : -1;
        l[i] ^= (~(int64_t)small & 255) | 12;
        l[i] -= i % 7 * 2 / 3;
        m[i] = (uint64_t)-small + narrow;
        m[i] += u[i] * 4000000000u;
        m[i] = (m[i] << (i & 7)) | (m[i] >> 60);
        if ((uint32_t)small < u[i]) {
            ++m[i];
        }
        l[i] += !(small > 3) + ((i < 100) == (b[i] > 2));
    }
}

void integers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    integers_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], begin, end);
}

static inline void floats_0_groups(const int n, const int k, const float scale, const float *x, const double *y, double *z, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    OKL_INDEPENDENT
    for (int i = begin * 64; i < i_end; ++i) {
        const float single = x[i] * scale + 1.0f;
        const double both = x[i] / 3.0f + y[i] * 2.0 - (y[i] - (x[i] - 0.1f));
        const float rounded = both * 0.001;
        float sum = single;
        sum = sum + both;
        sum *= k;
        z[i] = sum + rounded + both * (float)y[i] + 1e300 * 1e-300 + 0.10000000149011612;
        z[i] -= (int)(y[i] * 3.0) + (y[i] > 0.0 ? 1.0f : 0.5f);
        z[i] += -(-y[i]) - -x[i];
    }
}

void floats_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    floats_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], *(const float *)arguments[2], arguments[3], arguments[4], arguments[5], begin, end);
}

static inline void logic_0_groups(const int n, const int *a, int *b, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    OKL_INDEPENDENT_GUARDED
    for (int i = begin * 64; i < i_end; ++i) {
        const bool odd = (a[i] & 1) != 0;
        const bool far = i > 50 || (a[i] == 2 && !odd);
        b[i] = odd && far ? a[i] : far ? -1 : (int)odd;
        if (a[i]) {
            b[i] += 4;
        }
        if (!a[i] || (far && a[n - 1 - i] != 3)) {
            b[i] -= 2;
        }
        b[i] |= odd << 4;
        bool flag = b[i] != 0;
        flag = flag && a[i] > 1;
        b[i] += flag;
    }
}

void logic_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    logic_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
