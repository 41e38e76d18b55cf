// C11, made from OKL.
// @kernel items: items_0
// @kernel stored: stored_0
// @kernel chosen: chosen_0

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

static inline uint64_t okl_to_bits_f64(double x) {
    const union { double value; uint64_t bits; } given = {x};
    return given.bits;
}

static inline double okl_of_bits_f64(uint64_t bits) {
    const union { uint64_t bits; double value; } given = {bits};
    return given.value;
}

static inline double okl_magnitude(double x) {
    return okl_of_bits_f64(okl_to_bits_f64(x) & 0x7fffffffffffffffu);
}

// 2^k for a whole k from -1022 to 1023.
static inline double okl_power_of_two(double k) {
    return okl_of_bits_f64((okl_to_bits_f64(k + 0x1.8p52) + 1023u) << 52);
}

// The first 26 digits: the product of two such numbers is exact.
static inline double okl_high_26(double x) {
    return okl_of_bits_f64(okl_to_bits_f64(x) & 0xfffffffff8000000u);
}

// A number as a sum of two.
typedef struct okl_pair {
    double high, low;
} okl_pair;

// a + b without an error (Knuth).
static inline okl_pair okl_exact_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    const okl_pair result = {sum, (a - (sum - part)) + (b - part)};
    return result;
}

// a * b with an error of 2^-105 at most (Dekker).
static inline okl_pair okl_exact_product(double a, double b) {
    const double product = a * b, ah = okl_high_26(a), al = a - ah, bh = okl_high_26(b), bl = b - bh;
    const okl_pair result = {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
    return result;
}

// x = n pi / 2 + high + low; n is in the last bits.
typedef struct okl_angle {
    uint64_t n;
    double high, low;
} okl_angle;

// pi / 2 in four parts, three of them with 33 digits, so that their products with n are exact (Cody and Waite).
static inline okl_angle okl_reduce_near(double x) {
    const double moved = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = moved - 0x1.8p52;
    const okl_pair first = okl_exact_sum(x - k * 0x1.921fb544p+0, -(k * 0x1.0b4611a6p-34));
    const okl_pair second = okl_exact_sum(first.high, -(k * 0x1.3198a2ep-69));
    const double rest = second.low + (first.low - k * 0x1.b839a252049c1p-104), high = second.high + rest;
    const okl_angle result = {okl_to_bits_f64(moved), high, (second.high - high) + rest};
    return result;
}

// The sine of high + low, for at most pi / 4.
static inline double okl_sin_part(double x, double low) {
    const double z = x * x, w = z * z, v = z * x;
    const double r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
        + z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
    return x - ((z * (0.5 * low - v * r) - low) - v * -1.66666666666666324348e-01);
}

static inline double okl_cos_part(double x, double low) {
    const double z = x * x, w = z * z;
    const double r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
        + w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    const double half = 0.5 * z, t = 1.0 - half;
    return t + (((1.0 - t) - half) + (z * r - x * low));
}

// The sine of high + low + n pi / 2.
static inline double okl_sin_of(okl_angle angle, uint64_t n) {
    const double sine = okl_sin_part(angle.high, angle.low), cosine = okl_cos_part(angle.high, angle.low);
    const double y = (n & 1u) != 0 ? cosine : sine;
    return okl_of_bits_f64(okl_to_bits_f64(y) ^ ((n & 2u) << 62));
}

static inline double okl_near_sin_f64(double x) {
    const okl_angle angle = okl_reduce_near(x);
    const double y = okl_sin_of(angle, angle.n);
    return okl_magnitude(x) < 0x1p-27 ? x : y;
}

static inline double okl_near_cos_f64(double x) {
    const okl_angle angle = okl_reduce_near(x);
    return okl_sin_of(angle, angle.n + 1u);
}

// 1216 bits of 2 / pi behind the point.
static const uint32_t okl_two_over_pi[38] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu,
};

// 32 bits of a number of eleven words, from the bit `at` on.
static inline uint32_t okl_word_at(const uint32_t *number, uint32_t at) {
    const uint64_t two = (uint64_t)number[at / 32 + 1] << 32 | number[at / 32];
    return (uint32_t)(two >> at % 32);
}

// x * 2 / pi modulo 4 by integers, of which the bits that are multiples of 4 are never computed (Payne and Hanek).
__attribute__((noinline)) static okl_angle okl_reduce_far(double x) {
    const uint64_t bits = okl_to_bits_f64(x) & 0x7fffffffffffffffu;
    const uint64_t mantissa = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
    // |x| is the mantissa times 2 to this power.
    const int exponent = (int)(bits >> 52) - 1075, first = exponent > 2 ? (exponent - 2) / 32 : 0;
    // The product of the mantissa and eight words of 2 / pi, least word first.
    uint32_t product[11] = {0};
    for (int j = 0; j < 2; ++j) {
        const uint64_t word = mantissa >> 32 * j & 0xffffffffu;
        uint64_t carry = 0;
        for (int k = 0; k < 8; ++k) {
            const uint64_t sum = word * okl_two_over_pi[first + 7 - k] + product[j + k] + carry;
            product[j + k] = (uint32_t)sum;
            carry = sum >> 32;
        }
        product[j + 8] = (uint32_t)carry;
    }
    // Bits of the product behind the point.
    const uint32_t behind = (uint32_t)(32 * (first + 8) - exponent);
    uint64_t n = okl_word_at(product, behind) & 3u;
    uint64_t top = (uint64_t)okl_word_at(product, behind - 32) << 32 | okl_word_at(product, behind - 64);
    uint64_t next = (uint64_t)okl_word_at(product, behind - 96) << 32 | okl_word_at(product, behind - 128);
    const int is_upper = top >> 63 != 0;
    if (is_upper) {
        // The nearer multiple lies above.
        n += 1;
        next = ~next + 1;
        top = ~top + (next == 0);
    }
    int scale = 0;
    while (top >> 63 == 0 && scale < 127) {
        top = top << 1 | next >> 63;
        next <<= 1;
        scale += 1;
    }
    // The fraction as a sum, times pi / 2.
    const double f_high = (double)(top >> 11) * okl_power_of_two((double)(-53 - scale));
    const double f_low = (double)((top & 0x7ffu) << 42 | next >> 22) * okl_power_of_two((double)(-106 - scale));
    const okl_pair y = okl_exact_product(f_high, 1.5707963267948966);
    const double lost = y.low + (f_high * 6.123233995736766e-17 + f_low * 1.5707963267948966);
    const double sum = y.high + lost, low = lost - (sum - y.high);
    const int is_negative = okl_to_bits_f64(x) >> 63 != 0, is_below = is_negative != is_upper;
    const okl_angle result = {is_negative ? 0u - n : n, is_below ? -sum : sum, is_below ? -low : low};
    return result;
}

// Whether an angle is beyond what is near. Infinity is not: near functions say of it that there is no number.
static inline int okl_is_far_f64(double x) {
    return (okl_magnitude(x) > 0x1p20) & (okl_magnitude(x) < __builtin_inf());
}

__attribute__((noinline)) static double okl_far_sin(double x) {
    const okl_angle angle = okl_reduce_far(x);
    return okl_sin_of(angle, angle.n);
}

__attribute__((noinline)) static double okl_far_cos(double x) {
    const okl_angle angle = okl_reduce_far(x);
    return okl_sin_of(angle, angle.n + 1u);
}

static inline double okl_sin_f64(double x) {
    return okl_is_far_f64(x) ? okl_far_sin(x) : okl_near_sin_f64(x);
}

static inline double okl_cos_f64(double x) {
    return okl_is_far_f64(x) ? okl_far_cos(x) : okl_near_cos_f64(x);
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline double wave(double x) {
    const double twice = 2.0 * x;
    return twice + okl_sin_f64(twice);
}

static inline void items_0_groups(const int n, const double *restrict x, double *restrict y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 16, n);
    {
        const int64_t okl_last = i_end;
        for (int64_t okl_first = begin * 16, okl_next; okl_first < okl_last; okl_first = okl_next) {
            okl_next = (int64_t)okl_last - okl_first > 1024 ? okl_first + 1024 : okl_last;
            int okl_far = 0;
            OKL_INDEPENDENT_GUARDED
            for (int64_t i = okl_first; i < okl_next; ++i) {
                if (x[i] > 0.0) {
                    okl_far |= okl_is_far_f64(3.0 * x[i]);
                } else {
                    okl_far |= okl_is_far_f64(2.0 * x[i]);
                }
            }
            if (okl_far != 0) {
                for (int64_t i = okl_first; i < okl_next; ++i) {
                    if (x[i] > 0.0) {
                        y[i] = okl_cos_f64(3.0 * x[i]);
                    } else {
                        y[i] = 2.0 * x[i] + okl_sin_f64(2.0 * x[i]);
                    }
                }
            } else {
                OKL_INDEPENDENT_GUARDED
                for (int64_t i = okl_first; i < okl_next; ++i) {
                    if (x[i] > 0.0) {
                        y[i] = okl_near_cos_f64(3.0 * x[i]);
                    } else {
                        y[i] = 2.0 * x[i] + okl_near_sin_f64(2.0 * x[i]);
                    }
                }
            }
        }
    }
}

void items_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    items_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void stored_0_groups(const int n, double *x, double *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 16, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 16; i < i_end; ++i) {
        y[i] = 1000000.0 * x[i];
        x[i] = okl_sin_f64(y[i]);
    }
}

void stored_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    stored_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void chosen_0_groups(const int n, const int *restrict kind, const double *restrict x, double *restrict y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 16, n);
    {
        const int64_t okl_last = i_end;
        for (int64_t okl_first = begin * 16, okl_next; okl_first < okl_last; okl_first = okl_next) {
            okl_next = (int64_t)okl_last - okl_first > 1024 ? okl_first + 1024 : okl_last;
            int okl_far = 0;
            OKL_INDEPENDENT_GUARDED
            for (int64_t i = okl_first; i < okl_next; ++i) {
                const int of = kind[i];
                if (of > 0) {
                    const bool is_odd = of > 2;
                    if (is_odd) {
                        okl_far |= okl_is_far_f64(x[i]);
                    } else {
                        if (of == 1) {
                            okl_far |= okl_is_far_f64(x[i]);
                        }
                    }
                }
            }
            if (okl_far != 0) {
                for (int64_t i = okl_first; i < okl_next; ++i) {
                    const int of = kind[i];
                    if (of > 0) {
                        const bool is_odd = of > 2;
                        if (is_odd) {
                            y[i] = okl_cos_f64(x[i]);
                        } else if (of == 1) {
                            y[i] = okl_sin_f64(x[i]);
                        }
                    }
                }
            } else {
                OKL_INDEPENDENT_GUARDED
                for (int64_t i = okl_first; i < okl_next; ++i) {
                    const int of = kind[i];
                    if (of > 0) {
                        const bool is_odd = of > 2;
                        if (is_odd) {
                            y[i] = okl_near_cos_f64(x[i]);
                        } else if (of == 1) {
                            y[i] = okl_near_sin_f64(x[i]);
                        }
                    }
                }
            }
        }
    }
}

void chosen_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    chosen_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
