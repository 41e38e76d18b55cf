// C11, made from OKL.
// @kernel mass: mass_0
// @kernel several: several_0
// @kernel either: either_0

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#define OKL_INDEPENDENT_SHORT
#endif

typedef struct pair_found {
    int exit;
    float pt;
    float pt_2;
    float eta;
    float eta_2;
    float phi;
    float phi_2;
} pair_found;
_Static_assert(sizeof(pair_found) == 28, "size of pair_found");
_Static_assert(offsetof(pair_found, exit) == 0, "offset of pair_found.exit");
_Static_assert(offsetof(pair_found, pt) == 4, "offset of pair_found.pt");
_Static_assert(offsetof(pair_found, pt_2) == 8, "offset of pair_found.pt_2");
_Static_assert(offsetof(pair_found, eta) == 12, "offset of pair_found.eta");
_Static_assert(offsetof(pair_found, eta_2) == 16, "offset of pair_found.eta_2");
_Static_assert(offsetof(pair_found, phi) == 20, "offset of pair_found.phi");
_Static_assert(offsetof(pair_found, phi_2) == 24, "offset of pair_found.phi_2");

typedef struct walk_found {
    int exit;
    float rest;
    float read;
    float next;
    float sum;
} walk_found;
_Static_assert(sizeof(walk_found) == 20, "size of walk_found");
_Static_assert(offsetof(walk_found, exit) == 0, "offset of walk_found.exit");
_Static_assert(offsetof(walk_found, rest) == 4, "offset of walk_found.rest");
_Static_assert(offsetof(walk_found, read) == 8, "offset of walk_found.read");
_Static_assert(offsetof(walk_found, next) == 12, "offset of walk_found.next");
_Static_assert(offsetof(walk_found, sum) == 16, "offset of walk_found.sum");

typedef struct first_positive_found {
    int exit;
    double rest;
    double x;
} first_positive_found;
_Static_assert(sizeof(first_positive_found) == 24, "size of first_positive_found");
_Static_assert(offsetof(first_positive_found, exit) == 0, "offset of first_positive_found.exit");
_Static_assert(offsetof(first_positive_found, rest) == 8, "offset of first_positive_found.rest");
_Static_assert(offsetof(first_positive_found, x) == 16, "offset of first_positive_found.x");

static inline uint64_t okl_to_bits_f64(double x) {
    const union { double value; uint64_t bits; } given = {x};
    return given.bits;
}

static inline double okl_of_bits_f64(uint64_t bits) {
    const union { uint64_t bits; double value; } given = {bits};
    return given.value;
}

// The magnitude of the first with the sign of the second.
static inline double okl_with_sign(double x, double sign) {
    const uint64_t top = 0x8000000000000000u;
    return okl_of_bits_f64((okl_to_bits_f64(x) & ~top) | (okl_to_bits_f64(sign) & top));
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

// The first 21 digits.
static inline double okl_high_21(double x) {
    return okl_of_bits_f64(okl_to_bits_f64(x) & 0xffffffff00000000u);
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

static inline double okl_cosh_f64(double x) {
    const double a = okl_magnitude(x), t = a > 710.5 ? 710.5 : a;
    const okl_reduced at = okl_by_log_2(t);
    const double scale = okl_power_of_two(at.k - 2.0), sum = 1.0 + at.r;
    const double high = scale * sum, low = scale * (((1.0 - sum) + at.r) + (at.low + okl_exp_rest(at.r)));
    const double quarter = high + low, rest = (high - quarter) + low, q = 0.0625 / quarter;
    return 2.0 * (quarter + (q + (rest - 16.0 * q * q * rest)));
}

// 2^x, with an error of 2^-28: for functions of float.
static inline double okl_exp2_brief(double x) {
    const double above = x < -600.0 ? -600.0 : x, t = above > 600.0 ? 600.0 : above;
    const double k = okl_whole(t), r = t - k;
    double p = 0.00015461467905285986;
    p = p * r + 0.0013400454984126323;
    p = p * r + 0.00961805662050108;
    p = p * r + 0.05550327159647605;
    p = p * r + 0.2402265092256076;
    p = p * r + 0.6931472067342503;
    p = p * r + 1.0;
    return p * okl_power_of_two(k);
}

// e^x - 1, with a relative error of 2^-31: for functions of float.
static inline double okl_expm1_brief(double x) {
    const double above = x < -200.0 ? -200.0 : x, t = above > 200.0 ? 200.0 : above;
    const double k = okl_whole(t * 0x1.71547652b82fep+0), r = t - k * 0x1.62e42fefa39efp-1;
    double p = 0.00019899285575896282;
    p = p * r + 0.0013941118895837;
    p = p * r + 0.00833329846980059;
    p = p * r + 0.04166635277111221;
    p = p * r + 0.16666666719028936;
    p = p * r + 0.5000000047146057;
    p = p * r + 1.0;
    const double scale = okl_power_of_two(k);
    return (scale - 1.0) + scale * (r * p);
}

static inline float okl_exp_f32(float x) {
    return (float)okl_exp2_brief((double)x * 0x1.71547652b82fep+0);
}

static inline float okl_tanh_f32(float x) {
    const double e = okl_expm1_brief(2.0 * okl_magnitude((double)x));
    return (float)okl_with_sign(e / (e + 2.0), (double)x);
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

// What a logarithm says of numbers that have none.
static inline double okl_log_special(double x, double y) {
    const double finite = x < __builtin_inf() ? y : x;
    return x > 0.0 ? finite : (x == 0.0 ? -__builtin_inf() : (x != x ? x : __builtin_nan("")));
}

// log((1 + s) / (1 - s)) for 1 + f = (1 + s) / (1 - s), with a relative error of 2^-37: for functions of float.
static inline double okl_log_brief(double f) {
    const double s = f / (2.0 + f), z = s * s;
    double p = 0.23617811358975918;
    p = p * z + 0.2853497625458691;
    p = p * z + 0.4000038585087392;
    p = p * z + 0.6666666524171239;
    p = p * z + 2.0000000000084017;
    return s * p;
}

static inline float okl_log_f32(float x) {
    const okl_split at = okl_split_normal((double)x);
    return (float)okl_log_special((double)x, at.k * 0x1.62e42fefa39efp-1 + okl_log_brief(at.m - 1.0));
}

// Whether y is no whole number (0), an even one (2) or an odd one (3).
static inline uint64_t okl_parity(double y) {
    const double a = okl_magnitude(y), moved = a + 0x1p52;
    const uint64_t bits = okl_to_bits_f64(a < 0x1p52 ? moved : a);
    const uint64_t odd = a < 0x1p53 ? bits & 1u : 0u;
    const double whole = a < 0x1p52 ? moved - 0x1p52 : a;
    return whole != a ? 0u : 2u + odd;
}

// What pow is where neither is an ordinary number, and the sign of the others: y is that of |x|.
static inline double okl_pow_special(double x, double exponent, double y) {
    const double a = okl_magnitude(x);
    const uint64_t parity = okl_parity(exponent), sign = okl_to_bits_f64(x) & ((parity & 1u) << 63);
    const double falling = a == 0.0 ? __builtin_inf() : 0.0, rising = a == 0.0 ? 0.0 : a;
    const double end = exponent < 0.0 ? falling : rising, negative = parity == 0u ? __builtin_nan("") : y;
    const double finite = x < 0.0 ? negative : y, ordinary = a > 0.0 && a < __builtin_inf() ? finite : end;
    const double signed_one = okl_of_bits_f64(okl_to_bits_f64(ordinary) ^ sign);
    const double number = x != x || exponent != exponent ? x + exponent : signed_one;
    return x == 1.0 || exponent == 0.0 ? 1.0 : number;
}

static inline double okl_pow_f64(double x, double y) {
    const double above = y < -0x1p66 ? -0x1p66 : y, exponent = above > 0x1p66 ? 0x1p66 : above;
    const double magnitude = okl_magnitude(x);
    const uint64_t bits = okl_to_bits_f64(magnitude < 0x1p-1022 ? magnitude * 0x1p54 : magnitude);
    const double of_bits = okl_of_bits_f64((bits >> 52) | 0x4330000000000000u) - 4503599627371519.0;
    const double m = okl_of_bits_f64((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    const double upper = m >= 1.7320507764816284 ? 1.0 : 0.0;
    const double n = (magnitude < 0x1p-1022 ? of_bits - 54.0 : of_bits) + upper;
    // log2(a), where a / base = (1 + s) / (1 - s).
    const double a = m >= 1.7320507764816284 ? 0.5 * m : m, base = a > 1.2247447967529297 ? 1.5 : 1.0;
    const double u = a - base, v = 1.0 / (a + base), s = u * v, s_high = okl_high_21(s);
    const double t_high = okl_high_21(a + base), t_low = a - (t_high - base);
    const double s_low = v * ((u - s_high * t_high) - s_high * t_low), s2 = s * s;
    const double r = s2 * s2 * (5.99999999999994648725e-01 + s2 * (4.28571428578550184252e-01
        + s2 * (3.33333329818377432918e-01 + s2 * (2.72728123808534006489e-01
        + s2 * (2.30660745775561754067e-01 + s2 * 2.06975017800338417784e-01))))) + s_low * (s_high + s);
    const double square = s_high * s_high, q_high = okl_high_21(3.0 + square + r);
    const double q_low = r - ((q_high - 3.0) - square), p = s_high * q_high, q = s_low * q_high + q_low * s;
    const double p_high = okl_high_21(p + q), p_low = q - (p_high - p), z_high = 9.61796700954437255859e-01 * p_high;
    const double z_low = -7.02846165095275826516e-09 * p_high + p_low * 9.61796693925975554329e-01
        + (a > 1.2247447967529297 ? 1.35003920212974897128e-08 : 0.0);
    const double shift = a > 1.2247447967529297 ? 5.84962487220764160156e-01 : 0.0;
    const double log_high = okl_high_21(((z_high + z_low) + shift) + n);
    const double log_low = z_low - (((log_high - n) - shift) - z_high);
    // 2^(high + low), the exponent times that.
    const double y_high = okl_high_21(exponent), low = (exponent - y_high) * log_high + exponent * log_low;
    const double high = y_high * log_high, z = low + high;
    const double end = z < 0.0 ? -1100.0 : 1100.0;
    const double e_high = okl_magnitude(z) > 1100.0 ? end : high, e_low = okl_magnitude(z) > 1100.0 ? 0.0 : low;
    const double k = okl_whole(e_low + e_high), rest = e_high - k, t = okl_high_21(e_low + rest);
    const double w_high = t * 6.93147182464599609375e-01;
    const double w_low = (e_low - (t - rest)) * 6.93147180559945286227e-01 + t * -1.90465429995776804525e-09;
    const double w = w_high + w_low, lost = w_low - (w - w_high), sum = 1.0 + w;
    return okl_pow_special(x, y, okl_times_power(sum + (((1.0 - sum) + w) + (lost + lost * w + okl_exp_rest(w))), k));
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

static inline int okl_is_far_f32(float x) {
    // Compared as it is: a vector has twice as many of them as of doubles.
    const union { float value; uint32_t bits; } given = {x};
    const union { uint32_t bits; float value; } magnitude = {given.bits & 0x7fffffffu};
    return (magnitude.value > 0x1p25f) & (magnitude.value < __builtin_inff());
}

__attribute__((noinline)) static double okl_far_sin(double x) {
    const okl_angle angle = okl_reduce_far(x);
    return okl_sin_of(angle, angle.n);
}

__attribute__((noinline)) static double okl_far_cos(double x) {
    const okl_angle angle = okl_reduce_far(x);
    return okl_sin_of(angle, angle.n + 1u);
}

static inline double okl_cos_f64(double x) {
    return okl_is_far_f64(x) ? okl_far_cos(x) : okl_near_cos_f64(x);
}

// sin(pi y) for |y| <= 1/2, with an error of 2^-34.
static inline double okl_sin_of_half_turns(double y) {
    const double z = y * y;
    double p = -0.00702817000411568;
    p = p * z + 0.08205027487045821;
    p = p * z - 0.5992521718749432;
    p = p * z + 2.5501633167925433;
    p = p * z - 5.167712764562279;
    p = p * z + 3.1415926535360037;
    return y * p;
}

// x / pi is the sum of an exact product and a small one.
static inline float okl_near_sin_f32(float given) {
    const double x = (double)given, turns = x * 0x1.45f306dp-2, moved = turns + 0x1.8p52;
    const double y = okl_sin_of_half_turns((turns - (moved - 0x1.8p52)) + x * 0x1.9391054a7f09dp-31);
    return (float)okl_of_bits_f64(okl_to_bits_f64(y) ^ okl_to_bits_f64(moved) << 63);
}

static inline float okl_sin_f32(float x) {
    return okl_is_far_f32(x) ? (float)okl_far_sin((double)x) : okl_near_sin_f32(x);
}

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int okl_opaque_i32(int value) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
    __asm__("" : "+r"(value));
#endif
    return value;
}

static inline void report_fault(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    uint32_t before;
    before = okl_atomic_exchange_u32(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = (uint32_t)index;
        faults[3] = (uint32_t)(index >> 32);
        faults[4] = (uint32_t)length;
        faults[5] = (uint32_t)(length >> 32);
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline int64_t index_or_zero(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint64_t)index < length) {
        return index;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return 0;
}

static inline bool is_in_range(int64_t index, uint64_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint64_t)index < length) {
        return true;
    }
    report_fault(index, length, place, group_x, item_x, faults);
    return false;
}

static inline pair_found pair_search(int64_t begin, int64_t end, const float *pt, const float *eta, const float *phi, const int *charge, int64_t pt_first, int64_t pt_length, int64_t eta_first, int64_t eta_length, int64_t phi_first, int64_t phi_length, int64_t charge_first, int64_t charge_length, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = (uint64_t)i + 1; j < end; ++j) {
            if (charge[index_or_zero(charge_first + i, charge_length, 0, group_x, item_x, faults)] != charge[index_or_zero(charge_first + j, charge_length, 1, group_x, item_x, faults)]) {
                const float pt_1 = pt[index_or_zero(pt_first + i, pt_length, 2, group_x, item_x, faults)];
                const float pt_2 = pt[index_or_zero(pt_first + j, pt_length, 3, group_x, item_x, faults)];
                const float eta_1 = eta[index_or_zero(eta_first + i, eta_length, 4, group_x, item_x, faults)];
                const float eta_2 = eta[index_or_zero(eta_first + j, eta_length, 5, group_x, item_x, faults)];
                const float phi_1 = phi[index_or_zero(phi_first + i, phi_length, 6, group_x, item_x, faults)];
                const float phi_2 = phi[index_or_zero(phi_first + j, phi_length, 7, group_x, item_x, faults)];
                const pair_found found = {1, pt_1, pt_2, eta_1, eta_2, phi_1, phi_2};
                return found;
            }
        }
    }
    const pair_found found = {0};
    return found;
}

static inline float gap(float a, float b) {
    return a - b;
}

static inline walk_found walk_search(const float *x, int at, float limit) {
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) {
        const float next = x[(at + k) % 8];
        sum += next;
        if (sum > limit) {
            const float read = gap(sum, next);
            const walk_found found = {1, 0.0f, read};
            return found;
        }
        if (next < 0.0f) {
            const walk_found found = {2, 0.0f, 0.0f, next};
            return found;
        }
    }
    if (sum > 2.0f) {
        const walk_found found = {3, 0.0f, 0.0f, 0.0f, sum};
        return found;
    }
    const walk_found found = {0, sum};
    return found;
}

static inline first_positive_found first_positive_search(const double *x, int i) {
    for (int k = i; k >= 0; --k) {
        if (x[k % 8] > 0.0) {
            const double x_1 = x[k % 8];
            const first_positive_found found = {1, 0.0, x_1};
            return found;
        }
        if (k < i - 3) {
            const double rest = -0.0;
            const first_positive_found found = {0, rest};
            return found;
        }
    }
    const double rest = 0.0;
    const first_positive_found found = {0, rest};
    return found;
}

static inline void mass_0_groups(const int n, const int *first, const int *end, const float *pt, const float *eta, const float *phi, const int *charge, double *out, uint32_t *restrict faults, const int64_t pt_length, const int64_t eta_length, const int64_t phi_length, const int64_t charge_length, int64_t begin, int64_t end_1) {
    for (int64_t group = begin; group < end_1; ++group) {
        const int e_block = group * 256;
        const int64_t e_end = okl_min_i64(e_block + 256, n);
        {
            _Alignas(64) float pt_lanes[128] = {0};
            _Alignas(64) float pt_2_lanes[128] = {0};
            _Alignas(64) float eta_lanes[128] = {0};
            _Alignas(64) float eta_2_lanes[128] = {0};
            _Alignas(64) float phi_lanes[128] = {0};
            _Alignas(64) float phi_2_lanes[128] = {0};
            _Alignas(64) double returned_lanes[128] = {0};
            for (int64_t first_1 = e_block; first_1 < e_end; first_1 += 128) {
                const int64_t lanes = okl_min_i64(128, e_end - first_1);
                _Alignas(64) int exit_lanes[128];
                _Alignas(64) int slot_lanes[128];
                int taken = 0;
                for (int64_t lane = 0; lane < lanes; ++lane) {
                    const int e = first_1 + lane;
                    const pair_found found = pair_search(first[e % 5], end[e % 5], pt, eta, phi, charge, 0, pt_length, 0, eta_length, 0, phi_length, 0, charge_length, (int64_t)e_block / 256, (int64_t)e - e_block, faults);
                    const int exit = found.exit;
                    int slot = 0;
                    if (exit == 1) {
                        const float pt_1 = found.pt;
                        const float pt_2 = found.pt_2;
                        const float eta_1 = found.eta;
                        const float eta_2 = found.eta_2;
                        const float phi_1 = found.phi;
                        const float phi_2 = found.phi_2;
                        pt_lanes[taken] = pt_1;
                        pt_2_lanes[taken] = pt_2;
                        eta_lanes[taken] = eta_1;
                        eta_2_lanes[taken] = eta_2;
                        phi_lanes[taken] = phi_1;
                        phi_2_lanes[taken] = phi_2;
                        slot = taken;
                        taken += okl_opaque_i32(1);
                    }
                    exit_lanes[lane] = exit;
                    slot_lanes[lane] = slot;
                }
                for (int64_t first_slot = 0; first_slot < taken; first_slot += 32) {
                    {
                        int okl_far = 0;
                        OKL_INDEPENDENT
                        for (int64_t step = 0; step < 32; ++step) {
                            const int64_t slot = first_slot + step;
                            const float phi_1 = phi_lanes[slot];
                            const float phi_2 = phi_2_lanes[slot];
                            okl_far |= okl_is_far_f64((double)phi_1 - phi_2);
                        }
                        if (okl_far != 0) {
                            for (int64_t step = 0; step < 32; ++step) {
                                const int64_t slot = first_slot + step;
                                const float pt_1 = pt_lanes[slot];
                                const float pt_2 = pt_2_lanes[slot];
                                const float eta_1 = eta_lanes[slot];
                                const float eta_2 = eta_2_lanes[slot];
                                const float phi_1 = phi_lanes[slot];
                                const float phi_2 = phi_2_lanes[slot];
                                const double returned = sqrt(2.0 * pt_1 * pt_2 * (okl_cosh_f64((double)eta_1 - eta_2) - okl_cos_f64((double)phi_1 - phi_2)));
                                returned_lanes[slot] = returned;
                            }
                        } else {
                            OKL_INDEPENDENT
                            for (int64_t step = 0; step < 32; ++step) {
                                const int64_t slot = first_slot + step;
                                const float pt_1 = pt_lanes[slot];
                                const float pt_2 = pt_2_lanes[slot];
                                const float eta_1 = eta_lanes[slot];
                                const float eta_2 = eta_2_lanes[slot];
                                const float phi_1 = phi_lanes[slot];
                                const float phi_2 = phi_2_lanes[slot];
                                const double returned = sqrt(2.0 * pt_1 * pt_2 * (okl_cosh_f64((double)eta_1 - eta_2) - okl_near_cos_f64((double)phi_1 - phi_2)));
                                returned_lanes[slot] = returned;
                            }
                        }
                    }
                }
                OKL_INDEPENDENT_SHORT
                for (int64_t lane = 0; lane < lanes; ++lane) {
                    const int exit = exit_lanes[lane];
                    int slot = slot_lanes[lane];
                    const int64_t e = first_1 + lane;
                    const double returned = returned_lanes[slot];
                    const double value = exit == 1 ? returned : -1.0;
                    out[e] = value;
                }
            }
        }
    }
}

void mass_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end_1, void *scratch) {
    (void)dims; (void)scratch;
    mass_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], arguments[7], arguments[8], *(const int64_t *)arguments[9], *(const int64_t *)arguments[10], *(const int64_t *)arguments[11], *(const int64_t *)arguments[12], begin, end_1);
}

static inline void several_0_groups(const int n, const float *x, const float limit, float *y, float *z, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 512, n);
    {
        _Alignas(64) float read_lanes[128] = {0};
        _Alignas(64) float next_lanes[128] = {0};
        _Alignas(64) float sum_lanes[128] = {0};
        _Alignas(64) float returned_lanes[128] = {0};
        _Alignas(64) float returned_lanes_1[128] = {0};
        _Alignas(64) float returned_lanes_2[128] = {0};
        for (int64_t first = (int)(begin * 512); first < i_end; first += 128) {
            const int64_t lanes = okl_min_i64(128, i_end - first);
            _Alignas(64) float own_lanes[128];
            _Alignas(64) int exit_lanes[128];
            _Alignas(64) float rest_lanes[128];
            _Alignas(64) int slot_lanes[128];
            int taken = 0;
            int taken_1 = 0;
            int taken_2 = 0;
            for (int64_t lane = 0; lane < lanes; ++lane) {
                const int i = first + lane;
                const float own = x[i % 8] * 2.0f;
                z[i] += own;
                const walk_found found = walk_search(x, i, limit);
                const int exit = found.exit;
                const float rest = found.rest;
                int slot = 0;
                if (exit == 1) {
                    const float read = found.read;
                    read_lanes[taken] = read;
                    slot = taken;
                    taken += okl_opaque_i32(1);
                } else if (exit == 2) {
                    const float next = found.next;
                    next_lanes[taken_1] = next;
                    slot = taken_1;
                    taken_1 += okl_opaque_i32(1);
                } else if (exit == 3) {
                    const float sum = found.sum;
                    sum_lanes[taken_2] = sum;
                    slot = taken_2;
                    taken_2 += okl_opaque_i32(1);
                }
                exit_lanes[lane] = exit;
                slot_lanes[lane] = slot;
                rest_lanes[lane] = rest;
                own_lanes[lane] = own;
            }
            for (int64_t first_slot = 0; first_slot < taken; first_slot += 32) {
                OKL_INDEPENDENT
                for (int64_t step = 0; step < 32; ++step) {
                    const int64_t slot = first_slot + step;
                    const float read = read_lanes[slot];
                    const float returned = okl_exp_f32(-read) + 1.0f;
                    returned_lanes[slot] = returned;
                }
            }
            for (int64_t first_slot = 0; first_slot < taken_1; first_slot += 32) {
                {
                    int okl_far = 0;
                    OKL_INDEPENDENT
                    for (int64_t step = 0; step < 32; ++step) {
                        const int64_t slot = first_slot + step;
                        const float next = next_lanes[slot];
                        okl_far |= okl_is_far_f32(next * 0.5f);
                    }
                    if (okl_far != 0) {
                        for (int64_t step = 0; step < 32; ++step) {
                            const int64_t slot = first_slot + step;
                            const float next = next_lanes[slot];
                            const float returned_1 = next > -1.0f ? okl_log_f32(2.0f - next) : okl_sin_f32(next * 0.5f);
                            returned_lanes_1[slot] = returned_1;
                        }
                    } else {
                        OKL_INDEPENDENT
                        for (int64_t step = 0; step < 32; ++step) {
                            const int64_t slot = first_slot + step;
                            const float next = next_lanes[slot];
                            const float returned_1 = next > -1.0f ? okl_log_f32(2.0f - next) : okl_near_sin_f32(next * 0.5f);
                            returned_lanes_1[slot] = returned_1;
                        }
                    }
                }
            }
            for (int64_t first_slot = 0; first_slot < taken_2; first_slot += 32) {
                OKL_INDEPENDENT
                for (int64_t step = 0; step < 32; ++step) {
                    const int64_t slot = first_slot + step;
                    const float sum = sum_lanes[slot];
                    const float returned_2 = okl_tanh_f32(sum);
                    returned_lanes_2[slot] = returned_2;
                }
            }
            OKL_INDEPENDENT
            for (int64_t lane = 0; lane < lanes; ++lane) {
                const int exit = exit_lanes[lane];
                int slot = slot_lanes[lane];
                const float rest = rest_lanes[lane];
                const float own = own_lanes[lane];
                const int64_t i = first + lane;
                const float returned = returned_lanes[slot];
                const float returned_1 = returned_lanes_1[slot];
                const float returned_2 = returned_lanes_2[slot];
                const float value = exit == 1 ? returned : exit == 2 ? returned_1 : exit == 3 ? returned_2 : rest;
                float found;
                found = 3.0f - 0.5f * value;
                y[i] = found + own;
            }
        }
    }
}

void several_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    several_0_groups(*(const int *)arguments[0], arguments[1], *(const float *)arguments[2], arguments[3], arguments[4], begin, end);
}

static inline void either_0_groups(const int n, const double *x, double *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    {
        _Alignas(64) double x_lanes[128] = {0};
        _Alignas(64) double returned_lanes[128] = {0};
        for (int64_t first = (int)(begin * 64); first < i_end; first += 128) {
            const int64_t lanes = okl_min_i64(128, i_end - first);
            _Alignas(64) int exit_lanes[128];
            _Alignas(64) double rest_lanes[128];
            _Alignas(64) int slot_lanes[128];
            int taken = 0;
            for (int64_t lane = 0; lane < lanes; ++lane) {
                const int i = first + lane;
                const first_positive_found found = first_positive_search(x, i);
                const int exit = found.exit;
                const double rest = found.rest;
                int slot = 0;
                if (exit == 1) {
                    const double x_1 = found.x;
                    x_lanes[taken] = x_1;
                    slot = taken;
                    taken += okl_opaque_i32(1);
                }
                exit_lanes[lane] = exit;
                slot_lanes[lane] = slot;
                rest_lanes[lane] = rest;
            }
            for (int64_t first_slot = 0; first_slot < taken; first_slot += 32) {
                OKL_INDEPENDENT
                for (int64_t step = 0; step < 32; ++step) {
                    const int64_t slot = first_slot + step;
                    const double x_1 = x_lanes[slot];
                    const double returned = okl_pow_f64(x_1, 0.25);
                    returned_lanes[slot] = returned;
                }
            }
            OKL_INDEPENDENT
            for (int64_t lane = 0; lane < lanes; ++lane) {
                const int exit = exit_lanes[lane];
                int slot = slot_lanes[lane];
                const double rest = rest_lanes[lane];
                const int64_t i = first + lane;
                const double returned = returned_lanes[slot];
                const double value = exit == 1 ? returned : rest;
                y[i] = value;
            }
        }
    }
}

void either_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    either_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
