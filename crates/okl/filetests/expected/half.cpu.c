// C11, made from OKL.
// @kernel axpy: axpy_0
// @kernel rounds: rounds_0
// @kernel operators: operators_0
// @kernel places: places_0
// @kernel halves: halves_0

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#define OKL_INDEPENDENT_GUARDED
#endif

typedef struct Sample {
    uint16_t value;
    int count;
    uint16_t pair[2];
    uint16_t last;
} Sample;
_Static_assert(sizeof(Sample) == 16, "size of Sample");
_Static_assert(offsetof(Sample, value) == 0, "offset of Sample.value");
_Static_assert(offsetof(Sample, count) == 4, "offset of Sample.count");
_Static_assert(offsetof(Sample, pair) == 8, "offset of Sample.pair");
_Static_assert(offsetof(Sample, last) == 12, "offset of Sample.last");

// The nearest half, ties to even; infinite beyond the largest, NaN for a NaN.
static inline uint16_t okl_f16_of_f32(float number) {
#if defined(__clang__) && defined(__F16C__)
    const union { __fp16 value; uint16_t bits; } result = {(__fp16)number};
    return result.bits;
#else
    const union { float value; uint32_t bits; } given = {number};
    const uint32_t sign = given.bits >> 16 & 0x8000u, rest = given.bits & 0x7fffffffu;
    // Below 2^-14 a half is a multiple of 2^-24, to which the sum with 0.5 rounds.
    const union { uint32_t bits; float value; } magnitude = {rest};
    const union { float value; uint32_t bits; } subnormal = {magnitude.value + 0.5f};
    // From 65,520 on everything is 65,536, which is infinite.
    const uint32_t bounded = rest < 0x477ff000u ? rest : 0x47800000u;
    const uint32_t normal = (bounded - 0x37fff001u + (bounded >> 13 & 1u)) >> 13;
    const uint32_t ordered = rest < 0x38800000u ? subnormal.bits - 0x3f000000u : normal;
    return (uint16_t)(sign | ordered | (rest > 0x7f800000u ? 0x0200u : 0u));
#endif
}

// The value of a half.
static inline float okl_f32_of_f16(uint16_t half) {
#if defined(__clang__) && defined(__F16C__)
    const union { uint16_t bits; __fp16 value; } given = {half};
    return (float)given.value;
#else
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, rest = (uint32_t)(half & 0x7fffu) << 13;
    // A subnormal half is a multiple of 2^-24: what it adds to 2^-14.
    const union { uint32_t bits; float value; } more = {rest + 0x38800000u}, least = {0x38800000u};
    const union { float value; uint32_t bits; } subnormal = {more.value - least.value};
    const uint32_t finite = rest < 0x00800000u ? subnormal.bits : rest + 0x38000000u;
    // The exponent of infinities and NaNs is all ones in both types.
    const union { uint32_t bits; float value; } result = {sign | finite | (rest < 0x0f800000u ? 0u : 0x7f800000u)};
    return result.value;
#endif
}

// A float that rounds to the half to which the double rounds: the last of its 21 bits says whether any behind it is set.
static inline float okl_f32_toward_f16(double number) {
    const union { double value; uint64_t bits; } given = {number};
    const uint64_t rest = given.bits & 0xffffffffull;
    const union { uint64_t bits; double value; } kept = {(given.bits - rest) | (uint64_t)(rest != 0) << 32};
    return (float)kept.value;
}

static inline float okl_fmax_f32(float a, float b) {
    return a > b || b != b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static const uint16_t weights[3] = {0x2e66, 0x4000, 0x7bff};

static inline uint16_t twice(uint16_t x) {
    return okl_f16_of_f32(2.0f * okl_f32_of_f16(x));
}

static inline void raise(uint16_t *x, int by) {
    x[0] = okl_f16_of_f32(okl_f32_of_f16(x[0]) + by);
}

static inline void axpy_0_groups(const int n, const uint16_t a, const uint16_t *x, uint16_t *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 4, n);
    OKL_INDEPENDENT
    for (int i = begin * 4; i < i_end; ++i) {
        y[i] = okl_f16_of_f32(okl_f32_of_f16(a) * okl_f32_of_f16(x[i]) + okl_f32_of_f16(y[i]));
    }
}

void axpy_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    axpy_0_groups(*(const int *)arguments[0], *(const uint16_t *)arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void rounds_0_groups(const float *x, const double *d, const int *k, uint16_t *of, uint16_t *od, uint16_t *ok, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            of[i] = okl_f16_of_f32(x[i]);
            od[i] = okl_f16_of_f32(okl_f32_toward_f16(d[i]));
            ok[i] = okl_f16_of_f32(k[i]);
        }
    }
}

void rounds_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rounds_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], begin, end);
}

static inline void operators_0_groups(const uint16_t a, const uint16_t b, float *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        if (okl_f32_of_f16(b) != 0.0f) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 1; ++i) {
                uint16_t h = a;
                const uint16_t none = okl_f16_of_f32(-okl_f32_of_f16(b));
                out[0] = -okl_f32_of_f16(a);
                out[1] = okl_f32_of_f16(a);
                out[2] = okl_f32_of_f16(b);
                out[3] = okl_f32_of_f16(a) < okl_f32_of_f16(b);
                out[4] = !(okl_f32_of_f16(b) != 0.0f);
                out[5] = okl_f32_of_f16(b) != 0.0f && okl_f32_of_f16(a) != 0.0f;
                out[6] = okl_f32_of_f16(none) == okl_f32_of_f16(b);
                out[7] = 2.0f;
                out[8] = (int)okl_f32_of_f16(a);
                out[9] = sqrtf(-okl_f32_of_f16(a));
                out[10] = fabsf(okl_f32_of_f16(h));
                h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
                out[11] = okl_f32_of_f16(h);
                h = okl_f16_of_f32(okl_f32_toward_f16(okl_f32_of_f16(h) * -4.0));
                h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
                out[12] = okl_f32_of_f16(h);
                if (okl_f32_of_f16(none) != 0.0f) {
                    out[13] = 1.0f;
                }
                out[14] = okl_f32_of_f16(h) != 0.0f;
                out[15] = okl_fmax_f32(okl_f32_of_f16(h), okl_f32_of_f16(weights[0])) + (okl_f32_of_f16(weights[2]) > 60000.0f ? 1 : 0);
            }
        } else {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 1; ++i) {
                uint16_t h = a;
                const uint16_t none = okl_f16_of_f32(-okl_f32_of_f16(b));
                out[0] = -okl_f32_of_f16(a);
                out[1] = okl_f32_of_f16(a);
                out[2] = okl_f32_of_f16(a);
                out[3] = okl_f32_of_f16(a) < okl_f32_of_f16(b);
                out[4] = !(okl_f32_of_f16(b) != 0.0f);
                out[5] = okl_f32_of_f16(b) != 0.0f && okl_f32_of_f16(a) != 0.0f;
                out[6] = okl_f32_of_f16(none) == okl_f32_of_f16(b);
                out[7] = 2.0f;
                out[8] = (int)okl_f32_of_f16(a);
                out[9] = sqrtf(-okl_f32_of_f16(a));
                out[10] = fabsf(okl_f32_of_f16(h));
                h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
                out[11] = okl_f32_of_f16(h);
                h = okl_f16_of_f32(okl_f32_toward_f16(okl_f32_of_f16(h) * -4.0));
                h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
                out[12] = okl_f32_of_f16(h);
                if (okl_f32_of_f16(none) != 0.0f) {
                    out[13] = 1.0f;
                }
                out[14] = okl_f32_of_f16(h) != 0.0f;
                out[15] = okl_fmax_f32(okl_f32_of_f16(h), okl_f32_of_f16(weights[0])) + (okl_f32_of_f16(weights[2]) > 60000.0f ? 1 : 0);
            }
        }
    }
}

void operators_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    operators_0_groups(*(const uint16_t *)arguments[0], *(const uint16_t *)arguments[1], arguments[2], begin, end);
}

static inline void places_0_groups(const Sample s, const uint16_t *x, Sample *p, uint16_t *y, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) uint16_t tile[4];
        _Alignas(64) uint16_t mine[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            tile[i] = x[i];
            mine[i] = twice(x[i]);
        }
        for (int i = 0; i < 1; ++i) {
            uint16_t local[3] = {weights[1], s.pair[0]};
            local[2] = okl_f16_of_f32(okl_f32_of_f16(tile[3 - i]) + okl_f32_of_f16(mine[i]));
            y[i] = okl_f16_of_f32(okl_f32_of_f16(local[1]) * okl_f32_of_f16(local[2]) + s.count);
            p[i].count += i;
            ++p[i].count;
            p[i].last = okl_f16_of_f32(okl_f32_of_f16(p[i].last) + 1.0f);
            p[i].pair[1] = okl_f16_of_f32(okl_f32_toward_f16(okl_f32_of_f16(p[i].pair[1]) + i + okl_f32_of_f16(s.pair[1]) - 0.5));
        }
        for (int i = 1; i < 4; ++i) {
            uint16_t local[3] = {weights[1], s.pair[0]};
            local[2] = okl_f16_of_f32(okl_f32_of_f16(tile[3 - i]) + okl_f32_of_f16(mine[i]));
            y[i] = okl_f16_of_f32(okl_f32_of_f16(local[1]) * okl_f32_of_f16(local[2]) + s.count);
            p[i].count += i;
            ++p[i].count;
            p[i].last = okl_f16_of_f32(okl_f32_of_f16(p[i].last) + 1.0f);
            p[i].pair[1] = okl_f16_of_f32(okl_f32_toward_f16(okl_f32_of_f16(p[i].pair[1]) + i + okl_f32_of_f16(s.pair[1]) - 0.5));
            raise(&p[i].pair[0], 1);
        }
    }
}

void places_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    places_0_groups(*(const Sample *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void halves_0_groups(const int n, const uint16_t least, uint16_t *x, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_GUARDED
        for (int i = 0; i < n; ++i) {
            for (uint16_t h = x[i]; okl_f32_of_f16(h) > okl_f32_of_f16(least); h = okl_f16_of_f32(okl_f32_of_f16(h) - 1.0f)) {
                x[i] = okl_f16_of_f32(okl_f32_of_f16(x[i]) > 1.0f ? okl_f32_of_f16(x[i]) - okl_f32_of_f16(least) : okl_f32_of_f16(x[i]));
                if (okl_f32_of_f16(h) < 2.5) {
                    break;
                }
            }
        }
    }
}

void halves_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    halves_0_groups(*(const int *)arguments[0], *(const uint16_t *)arguments[1], arguments[2], begin, end);
}
