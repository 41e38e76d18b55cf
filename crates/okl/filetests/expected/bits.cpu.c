// C11, made from OKL.
// @kernel ints: ints_0
// @kernel words: words_0
// @kernel longs: longs_0
// @kernel small: small_0
// @kernel constants: constants_0

#include <stdbool.h>
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

static inline uint32_t okl_clz_u32(uint32_t a) {
    return a == 0 ? 32 : __builtin_clz(a);
}

static inline uint64_t okl_clz_u64(uint64_t a) {
    return a == 0 ? 64 : __builtin_clzll(a);
}

static inline uint32_t okl_ctz_u32(uint32_t a) {
    return a == 0 ? 32 : __builtin_ctz(a);
}

static inline uint64_t okl_ctz_u64(uint64_t a) {
    return a == 0 ? 64 : __builtin_ctzll(a);
}

static inline uint32_t okl_popcount_u32(uint32_t a) {
    return __builtin_popcount(a);
}

static inline uint64_t okl_popcount_u64(uint64_t a) {
    return __builtin_popcountll(a);
}

static inline void ints_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 5; ++i) {
            out[i] = okl_popcount_u32(in[i]);
            out[5 + i] = okl_clz_u32(in[i]);
            out[10 + i] = okl_ctz_u32(in[i]);
            const uint32_t bits = in[i];
            out[15 + i] = bits == 0 ? 0 : (int)okl_ctz_u32(bits) + 1;
        }
    }
}

void ints_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    ints_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void words_0_groups(const uint32_t *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = okl_popcount_u32(in[i]);
            out[4 + i] = okl_clz_u32(in[i]);
            out[8 + i] = okl_ctz_u32(in[i]);
        }
    }
}

void words_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    words_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void longs_0_groups(const int64_t *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 5; ++i) {
            out[i] = okl_popcount_u64(in[i]);
            out[5 + i] = okl_clz_u64(in[i]);
            out[10 + i] = okl_ctz_u64(in[i]);
            const uint64_t bits = in[i];
            out[15 + i] = bits == 0 ? 0 : (int)okl_ctz_u64(bits) + 1;
        }
    }
}

void longs_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    longs_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void small_0_groups(const int8_t *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = okl_popcount_u32(in[i]);
            out[4 + i] = okl_clz_u32(in[i]);
            out[8 + i] = okl_clz_u64(in[i]);
        }
    }
}

void small_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    small_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void constants_0_groups(int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        {
            const int i = 0;
            out[i] = 3;
        }
        {
            const int i = 1;
            out[i] = 29;
        }
        {
            const int i = 2;
            out[i] = 0;
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 3; i < 4; ++i) {
            out[i] = 8;
        }
    }
}

void constants_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    constants_0_groups(arguments[0], begin, end);
}
