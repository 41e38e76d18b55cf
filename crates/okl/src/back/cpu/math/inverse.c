// Inverse trigonometric functions, cube roots and hypot. Those of double follow FreeBSD's msun (Copyright (C) 1993 by Sun
// Microsystems, Inc. Permission to use, copy, modify, and distribute this software is freely granted, provided that this
// notice is preserved), without branches; polynomials of the others interpolate at Chebyshev nodes.

// The digits of atan(t) for |t| <= 7/16, but t.
static inline double okl_atan_rest(double t) {
    const double z = t * t, w = z * z;
    const double odd = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01 + w * (9.09088713343650656196e-02
        + w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    const double even = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02
        + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
    return t * (odd + even);
}

static inline double okl_atan_f64(double x) {
    const double a = okl_magnitude(x);
    const int beyond_0 = a >= 0.4375, beyond_1 = a >= 0.6875, beyond_2 = a >= 1.1875, beyond_3 = a >= 2.4375;
    const double above_1 = beyond_2 ? a - 1.5 : a - 1.0, below_1 = beyond_2 ? 1.0 + 1.5 * a : a + 1.0;
    const double above_0 = beyond_1 ? above_1 : 2.0 * a - 1.0, below_0 = beyond_1 ? below_1 : 2.0 + a;
    const double above = beyond_3 ? -1.0 : (beyond_0 ? above_0 : a), below = beyond_3 ? a : (beyond_0 ? below_0 : 1.0);
    const double high_1 = beyond_2 ? 9.82793723247329054082e-01 : 7.85398163397448278999e-01;
    const double low_1 = beyond_2 ? 1.39033110312309984516e-17 : 3.06161699786838301793e-17;
    const double high_0 = beyond_1 ? high_1 : 4.63647609000806093515e-01;
    const double low_0 = beyond_1 ? low_1 : 2.26987774529616870924e-17;
    const double high = beyond_3 ? 1.57079632679489655800e+00 : (beyond_0 ? high_0 : 0.0);
    const double low = beyond_3 ? 6.12323399573676603587e-17 : (beyond_0 ? low_0 : 0.0);
    const double t = above / below;
    return okl_with_sign(high - ((okl_atan_rest(t) - low) - t), x);
}

// (asin(s) - s) / s for the square of s.
static inline double okl_asin_rest(double z) {
    const double p = z * (1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * (2.01212532134862925881e-01
        + z * (-4.00555345006794114027e-02 + z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    const double q = 1.0 + z * (-2.40339491173441421878e+00 + z * (2.02094576023350569471e+00
        + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    return p / q;
}

// Beyond 1/2 by the sine of half the angle from 1, whose root has further digits.
static inline double okl_asin_f64(double x) {
    const double a = okl_magnitude(x);
    const int is_large = a >= 0.5;
    const double z = is_large ? (1.0 - a) * 0.5 : a * a, s = __builtin_sqrt(z), r = okl_asin_rest(z);
    const double f = okl_high_21(s), c = z > 0.0 ? (z - f * f) / (s + f) : z;
    const double large = 7.85398163397448278999e-01
        - ((2.0 * s * r - (6.12323399573676603587e-17 - 2.0 * c)) - (7.85398163397448278999e-01 - 2.0 * f));
    return okl_with_sign(is_large ? large : a + a * r, x);
}

static inline double okl_acos_f64(double x) {
    const double a = okl_magnitude(x);
    const int is_large = a >= 0.5;
    const double z = is_large ? (1.0 - a) * 0.5 : a * a, s = __builtin_sqrt(z), r = okl_asin_rest(z);
    const double f = okl_high_21(s), c = z > 0.0 ? (z - f * f) / (s + f) : z;
    const double right = 2.0 * (f + (r * s + c));
    const double left = 2.0 * (1.57079632679489655800e+00 - (s + (r * s - 6.12323399573676603587e-17)));
    const double middle = 1.57079632679489655800e+00 - (x - (6.12323399573676603587e-17 - x * r));
    return is_large ? (x < 0.0 ? left : right) : middle;
}

static inline double okl_cbrt_f64(double x) {
    const double a = okl_magnitude(x), normal = a < 0x1p-1022 ? a * 0x1p54 : a;
    // The exponent's and the leading digits' third, then two steps of approximation.
    const uint64_t third = ((okl_to_bits_f64(normal) >> 32) * 0x55555556u >> 32) + (a < 0x1p-1022 ? 696219795u : 715094163u);
    const double guess = okl_of_bits_f64(third << 32), r = (guess * guess) * (guess / a);
    const double near = guess * ((1.87595182427177009643 + r * (-1.88497979543377169875 + r * 1.621429720105354466140))
        + ((r * r) * r) * (-0.758397934778766047437 + r * 0.145996192886612446982));
    const double t = okl_of_bits_f64((okl_to_bits_f64(near) + 0x80000000u) & 0xffffffffc0000000u);
    const double s = t * t, q = a / s, w = t + t, y = t + t * ((q - t) / (w + q));
    return a > 0.0 && a < __builtin_inf() ? okl_with_sign(y, x) : x;
}

// The squares with all digits of numbers that neither overflow nor vanish.
static inline double okl_hypot_f64(double x, double y) {
    const double a = okl_magnitude(x), b = okl_magnitude(y), most = a > b ? a : b;
    const double scale = most > 0x1p500 ? 0x1p-600 : (most < 0x1p-450 ? 0x1p600 : 1.0);
    const double back = most > 0x1p500 ? 0x1p600 : (most < 0x1p-450 ? 0x1p-600 : 1.0);
    const okl_pair p = okl_exact_product(a * scale, a * scale), q = okl_exact_product(b * scale, b * scale);
    const okl_pair sum = okl_exact_sum(p.high, q.high);
    const double root = __builtin_sqrt(sum.high);
    const okl_pair square = okl_exact_product(root, root);
    const double lost = ((sum.high - square.high) - square.low) + (sum.low + (p.low + q.low));
    const double value = sum.high > 0.0 ? (root + lost / (2.0 * root)) * back : a + b;
    return a == __builtin_inf() || b == __builtin_inf() ? __builtin_inf() : value;
}

// The angle of the point (x, y), both positive, with an error of 2^-35.
static inline double okl_angle_brief(double y, double x) {
    const int is_low = y <= 0.41421356237309503 * x, is_high = y > 2.414213562373095 * x;
    const double above = is_low ? y : (is_high ? -x : y - x), below = is_low ? x : (is_high ? y : y + x);
    const double start = is_low ? 0.0 : (is_high ? 1.5707963267948966 : 0.7853981633974483);
    const double t = above / (below == 0.0 ? 1.0 : below), z = t * t;
    double p = 0.04707002731990736;
    p = p * z - 0.08456029383539528;
    p = p * z + 0.11040460424915557;
    p = p * z - 0.14281586455512274;
    p = p * z + 0.1999988377323016;
    p = p * z - 0.33333332096528895;
    p = p * z + 0.9999999999783765;
    return start + t * p;
}

static inline float okl_atan_f32(float x) {
    const double a = okl_magnitude((double)x);
    return (float)okl_with_sign(okl_angle_brief(a > 0x1p1000 ? 0x1p1000 : a, 1.0), (double)x);
}

static inline float okl_atan2_f32(float y, float x) {
    const double a = okl_magnitude((double)y), b = okl_magnitude((double)x);
    const double angle = okl_angle_brief(a > 0x1p1000 ? 0x1p1000 : a, b > 0x1p1000 ? 0x1p1000 : b);
    const int is_left = okl_to_bits_f64((double)x) >> 63 != 0;
    return (float)okl_with_sign(is_left ? 3.141592653589793 - angle : angle, (double)y);
}

// asin(s) for the square of s, which is at most 1/2, with an error of 2^-35.
static inline double okl_asin_brief(double z, double s) {
    double p = 0.03476246242227901;
    p = p * z + 0.00738965262637267;
    p = p * z + 0.024654446783243526;
    p = p * z + 0.03010195032607909;
    p = p * z + 0.04466118325586939;
    p = p * z + 0.07499941745425001;
    p = p * z + 0.16666667366429844;
    p = p * z + 0.9999999999863043;
    return s * p;
}

static inline float okl_asin_f32(float x) {
    const double a = okl_magnitude((double)x);
    const int is_large = a > 0.5;
    const double z = is_large ? 0.5 * (1.0 - a) : a * a, root = __builtin_sqrt(z);
    const double angle = okl_asin_brief(z, is_large ? root : a);
    return (float)okl_with_sign(is_large ? 1.5707963267948966 - 2.0 * angle : angle, (double)x);
}

static inline float okl_acos_f32(float x) {
    const double a = okl_magnitude((double)x);
    const int is_large = a > 0.5;
    const double z = is_large ? 0.5 * (1.0 - a) : a * a, root = __builtin_sqrt(z);
    const double angle = okl_asin_brief(z, is_large ? root : a);
    const double large = x < 0.0f ? 3.141592653589793 - 2.0 * angle : 2.0 * angle;
    return (float)(is_large ? large : 1.5707963267948966 - okl_with_sign(angle, (double)x));
}

static inline float okl_cbrt_f32(float x) {
    const double a = okl_magnitude((double)x);
    const double guess = okl_of_bits_f64((((okl_to_bits_f64(a) >> 32) * 0x55555556u >> 32) + 715094163u) << 32);
    const double g3 = guess * guess * guess, near = guess * ((g3 + 2.0 * a) / (2.0 * g3 + a));
    const double n3 = near * near * near, y = near * ((n3 + 2.0 * a) / (2.0 * n3 + a));
    return a > 0.0 && a < __builtin_inf() ? (float)okl_with_sign(y, (double)x) : x;
}

static inline float okl_hypot_f32(float x, float y) {
    const double a = okl_magnitude((double)x), b = okl_magnitude((double)y), root = __builtin_sqrt(a * a + b * b);
    return (float)(a == __builtin_inf() || b == __builtin_inf() ? __builtin_inf() : root);
}
