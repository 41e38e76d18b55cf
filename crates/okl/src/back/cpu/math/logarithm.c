// Logarithms and pow. Those of double follow FreeBSD's msun (Copyright (C) 1993, 2004 by Sun Microsystems, Inc. Permission
// to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved), without
// branches; polynomials of the others interpolate at Chebyshev nodes.

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

static inline double okl_log1p_f64(double x) {
    const okl_pair whole = okl_exact_sum(1.0, x);
    const okl_split at = okl_split_normal(whole.high);
    const double shift = at.k > 1000.0 ? 1000.0 : at.k;
    const okl_pair part = okl_exact_sum(at.m - 1.0, whole.low * okl_power_of_two(-shift));
    const double f = part.high, half_square = 0.5 * f * f, s = f / (2.0 + f);
    const double rest = okl_log_rest(f, half_square) + part.low * (1.0 - 2.0 * s * (1.0 - s));
    const okl_pair sum = okl_exact_sum(at.k * 0x1.62e42feep-1, f);
    const double y = sum.high + (sum.low + (at.k * 0x1.a39ef35793c76p-33 - (half_square - rest)));
    return okl_with_sign(okl_log_special(whole.high, y), x);
}

static inline double okl_log2_f64(double x) {
    const okl_split at = okl_split_any(x);
    const double f = at.m - 1.0, half_square = 0.5 * f * f, high = okl_high_21(f - half_square);
    const double low = (f - high) - half_square + okl_log_rest(f, half_square);
    const double upper = high * 1.44269504072144627571e+00;
    const double lower = (low + high) * 1.67517131648865118353e-10 + low * 1.44269504072144627571e+00;
    const okl_pair sum = okl_exact_sum(at.k, upper);
    return okl_log_special(x, sum.high + (sum.low + lower));
}

static inline double okl_log10_f64(double x) {
    const okl_split at = okl_split_any(x);
    const double f = at.m - 1.0, half_square = 0.5 * f * f, high = okl_high_21(f - half_square);
    const double low = (f - high) - half_square + okl_log_rest(f, half_square);
    const double upper = high * 4.34294481878168880939e-01;
    const double lower = at.k * 3.69423907715893078616e-13 + (low + high) * 2.50829467116452752298e-11
        + low * 4.34294481878168880939e-01;
    const okl_pair sum = okl_exact_sum(at.k * 3.01029995663611771306e-01, upper);
    return okl_log_special(x, sum.high + (sum.low + lower));
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

static inline float okl_log2_f32(float x) {
    const okl_split at = okl_split_normal((double)x);
    return (float)okl_log_special((double)x, at.k + okl_log_brief(at.m - 1.0) * 0x1.71547652b82fep+0);
}

static inline float okl_log10_f32(float x) {
    const okl_split at = okl_split_normal((double)x);
    const double y = at.k * 0.3010299956639812 + okl_log_brief(at.m - 1.0) * 0.4342944819032518;
    return (float)okl_log_special((double)x, y);
}

static inline float okl_log1p_f32(float x) {
    const double given = (double)x, whole = 1.0 + given;
    const okl_split at = okl_split_normal(whole);
    const double f = at.k == 0.0 ? given : at.m - 1.0;
    const double y = at.k * 0x1.62e42fefa39efp-1 + okl_log_brief(f);
    return (float)okl_with_sign(okl_log_special(whole, y), given);
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

static inline float okl_pow_f32(float x, float y) {
    const double a = okl_magnitude((double)x), exponent = (double)y;
    const okl_split at = okl_split_normal(a);
    const double f = at.m - 1.0, s = f / (2.0 + f), z = s * s;
    double p = 0.2829066166906811;
    p = p * z + 0.3199053739227617;
    p = p * z + 0.412209256786155;
    p = p * z + 0.5770779423594591;
    p = p * z + 0.9617966941132127;
    p = p * z + 2.88539008177785;
    // Beyond these exponents every power but that of 1 is 0 or infinite.
    const double above = exponent < -0x1p40 ? -0x1p40 : exponent, bounded = above > 0x1p40 ? 0x1p40 : above;
    return (float)okl_pow_special((double)x, exponent, okl_exp2_brief(bounded * (at.k + s * p)));
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
