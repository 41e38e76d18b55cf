// C11, made from OKL.
// @kernel waves: waves_0

#include <stdbool.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
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

// The nearest whole number, for magnitudes below 2^51.
static inline double okl_whole(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

// 2^k for a whole k from -1022 to 1023.
static inline double okl_power_of_two(double k) {
    return okl_of_bits_f64((okl_to_bits_f64(k + 0x1.8p52) + 1023u) << 52);
}

// y times 2^k for a whole k from -2044 to 2046, rounded once, also where the result is subnormal.
static inline double okl_times_power(double y, double k) {
    const double half = okl_whole(0.5 * k);
    return y * okl_power_of_two(half) * okl_power_of_two(k - half);
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

// e^x - 1 = 2^k (e^r - 1) + (2^k - 1) with |r| <= log(2) / 2.
typedef struct okl_reduced {
    double k, r, low;
} okl_reduced;

static inline okl_reduced okl_by_log_2(double x) {
    const double k = okl_whole(x * 0x1.71547652b82fep+0);
    const double high = x - k * 0x1.62e42feep-1, low = k * 0x1.a39ef35793c76p-33;
    const double r = high - low;
    const okl_reduced result = {k, r, (high - r) - low};
    return result;
}

// (e^r - 1 - r) / r^2 - 1/2 for such r: r^2 times its error is below 2^-60.
static inline double okl_exp_tail(double r) {
    double p = 2.0911236630261545e-09;
    p = p * r + 2.510038549551032e-08;
    p = p * r + 2.755728296954995e-07;
    p = p * r + 2.7557268459997064e-06;
    p = p * r + 2.4801587317144498e-05;
    p = p * r + 0.00019841269863053618;
    p = p * r + 0.0013888888888886552;
    p = p * r + 0.008333333333330062;
    p = p * r + 0.041666666666666664;
    p = p * r + 0.16666666666666669;
    return r * p;
}

// e^r - 1 - r
static inline double okl_exp_rest(double r) {
    return r * r * (0.5 + okl_exp_tail(r));
}

static inline double okl_exp_f64(double x) {
    const double above = x < -750.0 ? -750.0 : x, t = above > 720.0 ? 720.0 : above;
    const okl_reduced at = okl_by_log_2(t);
    const double sum = 1.0 + at.r, lost = (1.0 - sum) + at.r;
    return okl_times_power(sum + (lost + (at.low + okl_exp_rest(at.r))), at.k);
}

// x = 2^k m, with m between the square roots of 1/2 and 2, for a positive x.
typedef struct okl_split {
    double k, m;
} okl_split;

static inline okl_split okl_split_normal(double x) {
    const uint64_t least = 0x3fe6a09e667f3bcdu, moved = okl_to_bits_f64(x) + (0x3ff0000000000000u - least);
    const okl_split result = {
        okl_of_bits_f64((moved >> 52) | 0x4330000000000000u) - 4503599627371519.0,
        okl_of_bits_f64((moved & 0x000fffffffffffffu) + least),
    };
    return result;
}

static inline okl_split okl_split_any(double x) {
    okl_split result = okl_split_normal(x < 0x1p-1022 ? x * 0x1p54 : x);
    result.k = x < 0x1p-1022 ? result.k - 54.0 : result.k;
    return result;
}

// What a logarithm says of numbers that have none.
static inline double okl_log_special(double x, double y) {
    const double finite = x < __builtin_inf() ? y : x;
    return x > 0.0 ? finite : (x == 0.0 ? -__builtin_inf() : (x != x ? x : __builtin_nan("")));
}

// log(1 + f) - f + f * f / 2, the last of which is given.
static inline double okl_log_rest(double f, double half_square) {
    const double s = f / (2.0 + f), z = s * s, w = z * z;
    const double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
        + w * (1.818357216161805012e-01 + w * 1.479819860510658591e-01)));
    return s * (half_square + (odd + even));
}

static inline double okl_log_f64(double x) {
    const okl_split at = okl_split_any(x);
    const double f = at.m - 1.0, half_square = 0.5 * f * f, rest = okl_log_rest(f, half_square);
    const okl_pair sum = okl_exact_sum(at.k * 0x1.62e42feep-1, f);
    return okl_log_special(x, sum.high + (sum.low + (at.k * 0x1.a39ef35793c76p-33 - (half_square - rest))));
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

static inline void waves_0_groups(const int n, const double *x, double *y, float *z, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 32, n);
    {
        const int64_t okl_last = i_end;
        for (int okl_first = begin * 32, okl_next; okl_first < okl_last; okl_first = okl_next) {
            okl_next = (int64_t)okl_last - okl_first > 1024 ? okl_first + 1024 : okl_last;
            int okl_far = 0;
            OKL_INDEPENDENT
            for (int i = okl_first; i < okl_next; ++i) {
                const double angle = 0.37 * x[i] - 40.0;
                okl_far |= okl_is_far_f64(angle);
                okl_far |= okl_is_far_f64(3.0 * angle);
            }
            if (okl_far != 0) {
                for (int i = okl_first; i < okl_next; ++i) {
                    const double angle = 0.37 * x[i] - 40.0;
                    y[i] = okl_exp_f64(0.05 * angle) * okl_cos_f64(angle) + okl_sin_f64(3.0 * angle) + okl_log_f64(1.0 + x[i]);
                    z[i] = 1.0f;
                }
            } else {
                OKL_INDEPENDENT
                for (int i = okl_first; i < okl_next; ++i) {
                    const double angle = 0.37 * x[i] - 40.0;
                    y[i] = okl_exp_f64(0.05 * angle) * okl_near_cos_f64(angle) + okl_near_sin_f64(3.0 * angle) + okl_log_f64(1.0 + x[i]);
                    z[i] = 1.0f;
                }
            }
        }
    }
}

void waves_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    waves_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
