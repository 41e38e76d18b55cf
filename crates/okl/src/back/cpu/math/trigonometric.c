// Sine, cosine and tangent. Kernels of double are those of FreeBSD's msun (Copyright (C) 1993 by Sun Microsystems, Inc.
// Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
// preserved); those of float interpolate at Chebyshev nodes. Near functions hold for magnitudes up to 2^20 (double) and
// 2^25 (float), and have no branches; the others call them there and reduce larger angles by integers.

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

// The tangent of high + low + n pi / 2.
static inline double okl_tan_of(okl_angle angle) {
    const int is_large = okl_magnitude(angle.high) >= 0.6744, is_odd = (angle.n & 1u) != 0;
    const double a = okl_magnitude(angle.high);
    const double a_low = okl_of_bits_f64(okl_to_bits_f64(angle.low) ^ (okl_to_bits_f64(angle.high) & 0x8000000000000000u));
    const double x = is_large ? (7.85398163397448278999e-01 - a) + (3.06161699786838301793e-17 - a_low) : angle.high;
    const double low = is_large ? 0.0 : angle.low, z = x * x, w = z * z;
    const double even = 1.33333333333201242699e-01 + w * (2.18694882948595424599e-02 + w * (3.59207910759131235356e-03
        + w * (5.88041240820264096874e-04 + w * (7.81794442939557092300e-05 + w * -1.85586374855275456654e-05))));
    const double odd = z * (5.39682539762260521377e-02 + w * (8.86323982359930005737e-03 + w * (1.45620945432529025516e-03
        + w * (2.46463134818469906812e-04 + w * (7.14072491382608190305e-05 + w * 2.59073051863633712884e-05)))));
    const double s = z * x, r = low + z * (s * (even + odd) + low) + s * 3.33333333333334091986e-01, sum = x + r;
    const double one = is_odd ? -1.0 : 1.0;
    const double q = (is_large ? sum * sum : -1.0) / (is_large ? sum + one : sum);
    const double large = okl_with_sign(1.0, angle.high) * (one - 2.0 * (x + (r - q)));
    // -1 / (x + r) with the digits that the division has lost.
    const double sum_high = okl_high_21(sum), rest = r - (sum_high - x), q_high = okl_high_21(q);
    const double inverse = q_high + q * (1.0 + q_high * sum_high + q_high * rest);
    return is_large ? large : (is_odd ? inverse : sum);
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

static inline double okl_near_tan_f64(double x) {
    const double y = okl_tan_of(okl_reduce_near(x));
    return okl_magnitude(x) < 0x1p-28 ? x : y;
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

__attribute__((noinline)) static double okl_far_tan(double x) {
    return okl_tan_of(okl_reduce_far(x));
}

static inline double okl_sin_f64(double x) {
    return okl_is_far_f64(x) ? okl_far_sin(x) : okl_near_sin_f64(x);
}

static inline double okl_cos_f64(double x) {
    return okl_is_far_f64(x) ? okl_far_cos(x) : okl_near_cos_f64(x);
}

static inline double okl_tan_f64(double x) {
    return okl_is_far_f64(x) ? okl_far_tan(x) : okl_near_tan_f64(x);
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

static inline float okl_near_cos_f32(float given) {
    const double x = (double)given, turns = x * 0x1.45f306dp-2, moved = (turns + 0.5) + 0x1.8p52;
    const double y = okl_sin_of_half_turns((turns - ((moved - 0x1.8p52) - 0.5)) + x * 0x1.9391054a7f09dp-31);
    return (float)okl_of_bits_f64(okl_to_bits_f64(y) ^ okl_to_bits_f64(moved) << 63);
}

static inline float okl_near_tan_f32(float given) {
    const double x = (double)given, turns = x * 0x1.45f306dp-1, moved = turns + 0x1.8p52;
    const double y = 0.5 * ((turns - (moved - 0x1.8p52)) + x * 0x1.9391054a7f09dp-30), z = y * y;
    double p = 0.0809998083714049;
    p = p * z - 0.5992018817150591;
    p = p * z + 2.5501626405457527;
    p = p * z - 5.167712769104764;
    p = p * z + 3.1415926535760907;
    double q = 0.23132243066620334;
    q = q * z - 1.3350437523399;
    q = q * z + 4.0587072351652145;
    q = q * z - 4.934802162289497;
    q = q * z + 0.999999999952109;
    const double sine = y * p;
    const int is_odd = (okl_to_bits_f64(moved) & 1u) != 0;
    return (float)((is_odd ? -q : sine) / (is_odd ? sine : q));
}

static inline float okl_sin_f32(float x) {
    return okl_is_far_f32(x) ? (float)okl_far_sin((double)x) : okl_near_sin_f32(x);
}

static inline float okl_cos_f32(float x) {
    return okl_is_far_f32(x) ? (float)okl_far_cos((double)x) : okl_near_cos_f32(x);
}

static inline float okl_tan_f32(float x) {
    return okl_is_far_f32(x) ? (float)okl_far_tan((double)x) : okl_near_tan_f32(x);
}
