// The algorithms are those of FreeBSD's msun (Copyright (C) 1993 by Sun Microsystems, Inc. Permission to use, copy,
// modify, and distribute this software is freely granted, provided that this notice is preserved).

// (asin(x) - x) / x for the square of x.
fn okl_asin_rest_f64(z: f64) -> f64 {
    let p = z * (1.66666666666666657415e-01lf + z * (-3.25565818622400915405e-01lf + z * (2.01212532134862925881e-01lf
        + z * (-4.00555345006794114027e-02lf + z * (7.91534994289814532176e-04lf + z * 3.47933107596021167570e-05lf)))));
    let q = 1.0lf + z * (-2.40339491173441421878e+00lf + z * (2.02094576023350569471e+00lf
        + z * (-6.88283971605453293030e-01lf + z * 7.70381505559019352791e-02lf)));
    return p / q;
}

fn okl_asin_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x) || magnitude < 1.4901161193847656e-8lf) {
        return x;
    }
    if (magnitude > 1.0lf) {
        return okl_nan_f64();
    }
    if (magnitude < 0.5lf) {
        return x + x * okl_asin_rest_f64(x * x);
    }
    let z = (1.0lf - magnitude) * 0.5lf;
    let s = sqrt(z);
    let r = okl_asin_rest_f64(z);
    if (magnitude > 0.975lf) {
        let value = 1.57079632679489655800e+00lf - (2.0lf * (s + s * r) - 6.12323399573676603587e-17lf);
        return select(value, -value, x < 0.0lf);
    }
    let f = okl_high_f64(s);
    let c = (z - f * f) / (s + f);
    let value = 0.78539816339744827900lf - (2.0lf * s * r - (6.12323399573676603587e-17lf - 2.0lf * c)
        - (0.78539816339744827900lf - 2.0lf * f));
    return select(value, -value, x < 0.0lf);
}

fn okl_acos_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (magnitude >= 1.0lf) {
        return select(okl_nan_f64(), select(3.14159265358979311600e+00lf, 0.0lf, x > 0.0lf), magnitude == 1.0lf);
    }
    if (magnitude < 0.5lf) {
        return 1.57079632679489655800e+00lf - (x - (6.12323399573676603587e-17lf - x * okl_asin_rest_f64(x * x)));
    }
    let z = (1.0lf - magnitude) * 0.5lf;
    let s = sqrt(z);
    let r = okl_asin_rest_f64(z);
    if (x < 0.0lf) {
        let w = r * s - 6.12323399573676603587e-17lf;
        return 2.0lf * (1.57079632679489655800e+00lf - (s + w));
    }
    let f = okl_high_f64(s);
    let c = (z - f * f) / (s + f);
    return 2.0lf * (f + (r * s + c));
}

fn okl_atan_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x) || magnitude < 7.450580596923828e-9lf) {
        return x;
    }
    if (magnitude >= 7.3786976294838206e19lf) {
        return okl_copysign_f64(1.57079632679489655800e+00lf, x);
    }
    var t = magnitude;
    var high = 0.0lf;
    var low = 0.0lf;
    if (magnitude >= 2.4375lf) {
        t = -1.0lf / magnitude;
        high = 1.57079632679489655800e+00lf;
        low = 6.12323399573676603587e-17lf;
    } else if (magnitude >= 1.1875lf) {
        t = (magnitude - 1.5lf) / (1.0lf + 1.5lf * magnitude);
        high = 9.82793723247329054082e-01lf;
        low = 1.39033110312309984516e-17lf;
    } else if (magnitude >= 0.6875lf) {
        t = (magnitude - 1.0lf) / (magnitude + 1.0lf);
        high = 7.85398163397448278999e-01lf;
        low = 3.06161699786838301793e-17lf;
    } else if (magnitude >= 0.4375lf) {
        t = (2.0lf * magnitude - 1.0lf) / (2.0lf + magnitude);
        high = 4.63647609000806093515e-01lf;
        low = 2.26987774529616870924e-17lf;
    }
    let z = t * t;
    let w = z * z;
    let odd = z * (3.33333333333329318027e-01lf + w * (1.42857142725034663711e-01lf + w * (9.09088713343650656196e-02lf
        + w * (6.66107313738753120669e-02lf + w * (4.97687799461593236017e-02lf + w * 1.62858201153657823623e-02lf)))));
    let even = w * (-1.99999999998764832476e-01lf + w * (-1.11111104054623557880e-01lf + w * (-7.69187620504482999495e-02lf
        + w * (-5.83357013379057348645e-02lf + w * -3.65315727442169155270e-02lf))));
    let value = high - ((t * (odd + even) - low) - t);
    return okl_copysign_f64(value, x);
}

fn okl_atan2_f64(y: f64, x: f64) -> f64 {
    if (okl_isnan_f64(x) || okl_isnan_f64(y)) {
        return okl_nan_f64();
    }
    let pi = 3.1415926535897931160lf;
    let left = (bitcast<u64>(x) >> 63u) == 1lu;
    let a = abs(y);
    let b = abs(x);
    let y_zero = (bitcast<u64>(y) << 1u) == 0lu;
    let x_zero = (bitcast<u64>(x) << 1u) == 0lu;
    var value = 0.0lf;
    if (y_zero) {
        value = select(0.0lf, pi, left);
    } else if (x_zero) {
        value = 0.5lf * pi;
    } else if (okl_isinf_f64(x)) {
        if (okl_isinf_f64(y)) {
            value = select(0.25lf * pi, 0.75lf * pi, left);
        } else {
            value = select(0.0lf, pi, left);
        }
    } else {
        let difference = i32((bitcast<u64>(a) >> 52u)) - i32((bitcast<u64>(b) >> 52u));
        if (difference > 64 || okl_isinf_f64(y)) {
            value = 0.5lf * pi;
        } else {
            // A quotient too small to be added to pi is not computed, and one that is subnormal is rounded once.
            var angle = 0.0lf;
            if (!(left && difference < -64)) {
                angle = okl_atan_f64(okl_quotient_f64(a, b));
            }
            value = select(angle, pi - (angle - 1.2246467991473531772e-16lf), left);
        }
    }
    return okl_copysign_f64(value, y);
}

// The quotient of two positive numbers, of which the hardware may take a subnormal one for zero.
fn okl_quotient_f64(a: f64, b: f64) -> f64 {
    let p = okl_normal_f64(a);
    let q = okl_normal_f64(b);
    let exponent_a = i32(u32(p.bits >> 52u));
    let exponent_b = i32(u32(q.bits >> 52u));
    let mantissa_a = bitcast<f64>((p.bits & 0x000ffffffffffffflu) | 0x3ff0000000000000lu);
    let mantissa_b = bitcast<f64>((q.bits & 0x000ffffffffffffflu) | 0x3ff0000000000000lu);
    return okl_ldexp_f64(mantissa_a / mantissa_b, exponent_a + p.exponent - exponent_b - q.exponent);
}
