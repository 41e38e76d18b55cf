// C11, made from OKL.
// @kernel shuffles: shuffles_0
// @kernel reductions: reductions_0
// @kernel votes: votes_0
// @kernel tree: tree_0
// @kernel rows: rows_0
// @kernel in_loops: in_loops_0
// @kernel small: small_0
// @kernel wide: wide_0

#include <stdbool.h>
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

static inline int okl_max_i32(int a, int b) {
    return a > b ? a : b;
}

static inline int okl_min_i32(int a, int b) {
    return a < b ? a : b;
}

static inline uint32_t okl_update_or_u32(uint32_t *at, uint32_t value) {
    const uint32_t old = *at;
    *at = old | value;
    return old;
}

static inline void shuffles_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int exchanged[2][4];
        _Alignas(64) int taken[8];
        _Alignas(64) int taken_1[8];
        _Alignas(64) int taken_2[8];
        _Alignas(64) int taken_3[8];
        _Alignas(64) int taken_4[8];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = in[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            taken[i] = exchanged[i / 4][2];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[i] = taken[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = in[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
            taken_1[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[8 + i] = taken_1[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = in[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            const uint32_t from = (((uint32_t)i & 3) - 1 < 4 ? ((uint32_t)i & 3) - 1 : (uint32_t)i & 3) & 3;
            taken_2[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[16 + i] = taken_2[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = in[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            const uint32_t from = (((uint32_t)i & 3) + 2 < 4 ? ((uint32_t)i & 3) + 2 : (uint32_t)i & 3) & 3;
            taken_3[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[24 + i] = taken_3[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = in[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            taken_4[i] = exchanged[i / 4][3];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 8; ++i) {
            out[32 + i] = taken_4[i];
        }
    }
}

void shuffles_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    shuffles_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void reductions_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int exchanged[2][4];
        _Alignas(64) int exchanged_1[1][8];
        _Alignas(64) int part[8];
        _Alignas(64) int taken[8];
        _Alignas(64) int part_1[8];
        _Alignas(64) int taken_1[8];
        _Alignas(64) int part_2[8];
        _Alignas(64) int taken_2[8];
        _Alignas(64) int part_3[8];
        _Alignas(64) int taken_3[8];
        _Alignas(64) int part_4[8];
        _Alignas(64) int taken_4[8];
        _Alignas(64) int part_5[8];
        _Alignas(64) int taken_5[8];
        _Alignas(64) int part_6[8];
        _Alignas(64) int taken_6[8];
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            part[((int64_t)i - 8) / -1] = in[8 - i];
            (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + ((uint32_t)((i - 8) / -1) & 3)] = part[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 2) & 3;
            taken[((int64_t)i - 8) / -1] = (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            part_1[((int64_t)i - 8) / -1] = part[((int64_t)i - 8) / -1] + taken[((int64_t)i - 8) / -1];
            (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + ((uint32_t)((i - 8) / -1) & 3)] = part_1[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 1) & 3;
            taken_1[((int64_t)i - 8) / -1] = (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const int part_7 = part_1[((int64_t)i - 8) / -1] + taken_1[((int64_t)i - 8) / -1];
            out[8 - i] = part_7;
            part_2[((int64_t)i - 8) / -1] = in[8 - i];
            (&exchanged_1[0][0])[(int64_t)((i - 8) / -1 / 8) * 8 + ((uint32_t)((i - 8) / -1) & 7)] = part_2[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 7) ^ 4) & 7;
            taken_2[((int64_t)i - 8) / -1] = (&exchanged_1[0][0])[(int64_t)((i - 8) / -1 / 8) * 8 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            part_3[((int64_t)i - 8) / -1] = okl_min_i32(part_2[((int64_t)i - 8) / -1], taken_2[((int64_t)i - 8) / -1]);
            (&exchanged_1[0][0])[(int64_t)((i - 8) / -1 / 8) * 8 + ((uint32_t)((i - 8) / -1) & 7)] = part_3[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 7) ^ 2) & 7;
            taken_3[((int64_t)i - 8) / -1] = (&exchanged_1[0][0])[(int64_t)((i - 8) / -1 / 8) * 8 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            part_4[((int64_t)i - 8) / -1] = okl_min_i32(part_3[((int64_t)i - 8) / -1], taken_3[((int64_t)i - 8) / -1]);
            (&exchanged_1[0][0])[(int64_t)((i - 8) / -1 / 8) * 8 + ((uint32_t)((i - 8) / -1) & 7)] = part_4[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 7) ^ 1) & 7;
            taken_4[((int64_t)i - 8) / -1] = (&exchanged_1[0][0])[(int64_t)((i - 8) / -1 / 8) * 8 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const int part_7 = okl_min_i32(part_4[((int64_t)i - 8) / -1], taken_4[((int64_t)i - 8) / -1]);
            out[16 - i] = part_7;
            part_5[((int64_t)i - 8) / -1] = in[8 - i];
            (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + ((uint32_t)((i - 8) / -1) & 3)] = part_5[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 2) & 3;
            taken_5[((int64_t)i - 8) / -1] = (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            part_6[((int64_t)i - 8) / -1] = okl_max_i32(part_5[((int64_t)i - 8) / -1], taken_5[((int64_t)i - 8) / -1]);
            (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + ((uint32_t)((i - 8) / -1) & 3)] = part_6[((int64_t)i - 8) / -1];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const uint32_t from = (((uint32_t)((i - 8) / -1) & 3) ^ 1) & 3;
            taken_6[((int64_t)i - 8) / -1] = (&exchanged[0][0])[(int64_t)((i - 8) / -1 / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 8; i > 0; --i) {
            const int part_7 = okl_max_i32(part_6[((int64_t)i - 8) / -1], taken_6[((int64_t)i - 8) / -1]);
            out[24 - i] = part_7;
        }
    }
}

void reductions_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    reductions_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void votes_0_groups(const int *in, uint32_t *out, int *flags, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) uint32_t exchanged[1];
        _Alignas(64) uint32_t vote[4];
        _Alignas(64) uint32_t taken[4];
        _Alignas(64) uint32_t vote_1[4];
        _Alignas(64) uint32_t taken_1[4];
        _Alignas(64) uint32_t vote_2[4];
        _Alignas(64) uint32_t taken_2[4];
        const int i_start = 4 * o;
        if (o == 0) {
            OKL_INDEPENDENT_GUARDED
            for (int i = i_start; i < i_start + 4; ++i) {
                vote[(int64_t)i - i_start] = in[i] > 1 && in[i] != 2 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
                if (((uint32_t)(i - i_start) & 3) == 0) {
                    exchanged[(i - i_start) / 4] = 0;
                }
            }
        } else {
            OKL_INDEPENDENT_GUARDED
            for (int i = i_start; i < i_start + 4; ++i) {
                vote[(int64_t)i - i_start] = in[i] > 2 && in[i] != 2 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
                if (((uint32_t)(i - i_start) & 3) == 0) {
                    exchanged[(i - i_start) / 4] = 0;
                }
            }
        }
        for (int i = i_start; i < i_start + 4; ++i) {
            okl_update_or_u32(&exchanged[(i - i_start) / 4], vote[(int64_t)i - i_start]);
        }
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            taken[(int64_t)i - i_start] = exchanged[(i - i_start) / 4];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            out[i] = taken[(int64_t)i - i_start];
            vote_1[(int64_t)i - i_start] = in[i] > 2 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
            if (((uint32_t)(i - i_start) & 3) == 0) {
                exchanged[(i - i_start) / 4] = 0;
            }
        }
        for (int i = i_start; i < i_start + 4; ++i) {
            okl_update_or_u32(&exchanged[(i - i_start) / 4], vote_1[(int64_t)i - i_start]);
        }
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            taken_1[(int64_t)i - i_start] = exchanged[(i - i_start) / 4];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            vote_2[(int64_t)i - i_start] = in[i] > 1 ? 1u << ((uint32_t)(i - i_start) & 3) : 0u;
            if (((uint32_t)(i - i_start) & 3) == 0) {
                exchanged[(i - i_start) / 4] = 0;
            }
        }
        for (int i = i_start; i < i_start + 4; ++i) {
            okl_update_or_u32(&exchanged[(i - i_start) / 4], vote_2[(int64_t)i - i_start]);
        }
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            taken_2[(int64_t)i - i_start] = exchanged[(i - i_start) / 4];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = i_start; i < i_start + 4; ++i) {
            const int both = 4 * (taken_1[(int64_t)i - i_start] != 0) + 8 * (taken_2[(int64_t)i - i_start] == 15);
            flags[i] = both + (int)((uint32_t)(i - i_start) & 3);
        }
    }
}

void votes_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    votes_0_groups(arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void tree_0_groups(const double *in, double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) double exchanged[1][4];
        _Alignas(64) double part[4];
        _Alignas(64) double taken[4];
        _Alignas(64) double part_1[4];
        _Alignas(64) double taken_1[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            part[i] = in[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = part[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const uint32_t from = (((uint32_t)i & 3) ^ 2) & 3;
            taken[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            part_1[i] = part[i] + taken[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = part_1[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
            taken_1[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const double part_2 = part_1[i] + taken_1[i];
            out[i] = part_2;
        }
    }
}

void tree_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    tree_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void rows_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int exchanged[6][4];
        _Alignas(64) int part[3][8];
        _Alignas(64) int taken[3][8];
        _Alignas(64) int part_1[3][8];
        _Alignas(64) int taken_1[3][8];
        for (int k = 0; k < 3; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 16; i += 2) {
                const int at = 24 * o + 8 * k + i / 2;
                part[k][(int64_t)i / 2] = in[at];
                (&exchanged[0][0])[(int64_t)(k * 2 + i / 2 / 4) * 4 + ((uint32_t)(i / 2) & 3)] = part[k][(int64_t)i / 2];
            }
        }
        for (int k = 0; k < 3; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 16; i += 2) {
                const uint32_t from = (((uint32_t)(i / 2) & 3) ^ 2) & 3;
                taken[k][(int64_t)i / 2] = (&exchanged[0][0])[(int64_t)(k * 2 + i / 2 / 4) * 4 + from];
            }
        }
        for (int k = 0; k < 3; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 16; i += 2) {
                part_1[k][(int64_t)i / 2] = part[k][(int64_t)i / 2] + taken[k][(int64_t)i / 2];
                (&exchanged[0][0])[(int64_t)(k * 2 + i / 2 / 4) * 4 + ((uint32_t)(i / 2) & 3)] = part_1[k][(int64_t)i / 2];
            }
        }
        for (int k = 0; k < 3; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 16; i += 2) {
                const uint32_t from = (((uint32_t)(i / 2) & 3) ^ 1) & 3;
                taken_1[k][(int64_t)i / 2] = (&exchanged[0][0])[(int64_t)(k * 2 + i / 2 / 4) * 4 + from];
            }
        }
        for (int k = 0; k < 3; ++k) {
            OKL_INDEPENDENT_SHORT
            for (int i = 0; i < 16; i += 2) {
                const int at = 24 * o + 8 * k + i / 2;
                const int part_2 = part_1[k][(int64_t)i / 2] + taken_1[k][(int64_t)i / 2];
                const int sum = part_2;
                if ((int)((uint32_t)(i / 2) & 3) == 0) {
                    out[at / 4] = sum;
                }
            }
        }
    }
}

void rows_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    rows_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void in_loops_0_groups(const int n, const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int exchanged[1][4];
        _Alignas(64) int value[4];
        _Alignas(64) int taken[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            value[i] = in[i];
        }
        for (int k = 0; k < n; ++k) {
            if (n == 3) {
                OKL_INDEPENDENT_SHORT
                for (int i = 0; i < 4; ++i) {
                    (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = value[i];
                }
                OKL_INDEPENDENT_SHORT
                for (int i = 0; i < 4; ++i) {
                    const uint32_t from = (((uint32_t)i & 3) - 1 < 4 ? ((uint32_t)i & 3) - 1 : (uint32_t)i & 3) & 3;
                    taken[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
                }
                OKL_INDEPENDENT_SHORT
                for (int i = 0; i < 4; ++i) {
                    value[i] += taken[i];
                }
            }
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            out[i] = value[i];
        }
    }
}

void in_loops_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    in_loops_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void small_0_groups(const int8_t *in, float *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) float exchanged[1][4];
        _Alignas(64) float part[4];
        _Alignas(64) float taken[4];
        _Alignas(64) float part_1[4];
        _Alignas(64) float taken_1[4];
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const uint16_t h = okl_f16_of_f32(in[i] * 0.25f);
            part[i] = okl_f32_of_f16(h);
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = part[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const uint32_t from = (((uint32_t)i & 3) ^ 2) & 3;
            taken[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            part_1[i] = part[i] + taken[i];
            (&exchanged[0][0])[(int64_t)(i / 4) * 4 + ((uint32_t)i & 3)] = part_1[i];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const uint32_t from = (((uint32_t)i & 3) ^ 1) & 3;
            taken_1[i] = (&exchanged[0][0])[(int64_t)(i / 4) * 4 + from];
        }
        OKL_INDEPENDENT_SHORT
        for (int i = 0; i < 4; ++i) {
            const float part_2 = part_1[i] + taken_1[i];
            out[i] = 2.0f * part_2;
        }
    }
}

void small_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    small_0_groups(arguments[0], arguments[1], begin, end);
}

static inline void wide_0_groups(const int *in, int *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        _Alignas(64) int exchanged[2][32];
        _Alignas(64) int part[64];
        _Alignas(64) int taken[64];
        _Alignas(64) int part_1[64];
        _Alignas(64) int taken_1[64];
        _Alignas(64) int part_2[64];
        _Alignas(64) int taken_2[64];
        _Alignas(64) int part_3[64];
        _Alignas(64) int taken_3[64];
        _Alignas(64) int part_4[64];
        _Alignas(64) int taken_4[64];
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            part[i] = in[i];
            (&exchanged[0][0])[(int64_t)(i / 32) * 32 + ((uint32_t)i & 31)] = part[i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            const uint32_t from = (((uint32_t)i & 31) ^ 16) & 31;
            taken[i] = (&exchanged[0][0])[(int64_t)(i / 32) * 32 + from];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            part_1[i] = part[i] + taken[i];
            (&exchanged[0][0])[(int64_t)(i / 32) * 32 + ((uint32_t)i & 31)] = part_1[i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            const uint32_t from = (((uint32_t)i & 31) ^ 8) & 31;
            taken_1[i] = (&exchanged[0][0])[(int64_t)(i / 32) * 32 + from];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            part_2[i] = part_1[i] + taken_1[i];
            (&exchanged[0][0])[(int64_t)(i / 32) * 32 + ((uint32_t)i & 31)] = part_2[i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            const uint32_t from = (((uint32_t)i & 31) ^ 4) & 31;
            taken_2[i] = (&exchanged[0][0])[(int64_t)(i / 32) * 32 + from];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            part_3[i] = part_2[i] + taken_2[i];
            (&exchanged[0][0])[(int64_t)(i / 32) * 32 + ((uint32_t)i & 31)] = part_3[i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            const uint32_t from = (((uint32_t)i & 31) ^ 2) & 31;
            taken_3[i] = (&exchanged[0][0])[(int64_t)(i / 32) * 32 + from];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            part_4[i] = part_3[i] + taken_3[i];
            (&exchanged[0][0])[(int64_t)(i / 32) * 32 + ((uint32_t)i & 31)] = part_4[i];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            const uint32_t from = (((uint32_t)i & 31) ^ 1) & 31;
            taken_4[i] = (&exchanged[0][0])[(int64_t)(i / 32) * 32 + from];
        }
        OKL_INDEPENDENT
        for (int i = 0; i < 64; ++i) {
            const int part_5 = part_4[i] + taken_4[i];
            const int sum = part_5;
            if ((int)((uint32_t)i & 31) == 0) {
                out[i / 32] = sum;
            }
        }
    }
}

void wide_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    wide_0_groups(arguments[0], arguments[1], begin, end);
}
