// The algorithms are those of FreeBSD's msun (Copyright (C) 1993, 2004 by Sun Microsystems, Inc. Permission to use,
// copy, modify, and distribute this software is freely granted, provided that this notice is preserved).

// A positive number in a form that is not subnormal: the bits of a normal number, times a power of two.
struct okl_normal {
    bits: u64,
    exponent: i32,
}

fn okl_normal_f64(x: f64) -> okl_normal {
    let bits = bitcast<u64>(x);
    if (bits >= 0x0010000000000000lu) {
        return okl_normal(bits, 0);
    }
    // By integers: the hardware may take a subnormal number for zero.
    let high = u32(bits >> 32u);
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(u32(bits)), high == 0u);
    let shift = zeros - 11u;
    return okl_normal(bits << shift, -i32(shift));
}

// x times 2 to the power n, rounded once, also where the result is subnormal.
fn okl_ldexp_f64(x: f64, n: i32) -> f64 {
    let sign = bitcast<u64>(x) & 0x8000000000000000lu;
    let magnitude = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    if (magnitude == 0lu || magnitude >= 0x7ff0000000000000lu) {
        return x;
    }
    let normal = okl_normal_f64(bitcast<f64>(magnitude));
    let exponent = i32(u32(normal.bits >> 52u)) + normal.exponent + n;
    let mantissa = (normal.bits & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    if (exponent >= 2047) {
        return bitcast<f64>(sign | 0x7ff0000000000000lu);
    }
    if (exponent >= 1) {
        return bitcast<f64>(sign | (u64(u32(exponent)) << 52u) | (mantissa & 0x000ffffffffffffflu));
    }
    if (exponent < -53) {
        return bitcast<f64>(sign);
    }
    let shift = u32(1 - exponent);
    let kept = mantissa >> shift;
    let lost = mantissa & ((1lu << shift) - 1lu);
    let half = 1lu << (shift - 1u);
    let up = lost > half || (lost == half && (kept & 1lu) == 1lu);
    return bitcast<f64>(sign | (kept + select(0lu, 1lu, up)));
}

// 2 to the power n, where that is a normal number.
fn okl_power_of_two_f64(n: i32) -> f64 {
    return bitcast<f64>(u64(u32(1023 + n)) << 52u);
}

// The number with its lower 32 bits zero.
fn okl_high_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0xffffffff00000000lu);
}

// exp(high - low) times 2 to the power n, for small high - low.
fn okl_exp_part_f64(high: f64, low: f64, n: i32) -> f64 {
    let x = high - low;
    let s = x * x;
    let c = x - s * (1.66666666666666019037e-01lf + s * (-2.77777777770155933842e-03lf + s * (6.61375632143793436117e-05lf
        + s * (-1.65339022054652515390e-06lf + s * 4.13813679705723846039e-08lf))));
    let y = 1.0lf + (x * c / (2.0lf - c) - low + high);
    if (n >= -1020 && n <= 1023) {
        return y * okl_power_of_two_f64(n);
    }
    return okl_ldexp_f64(y, n);
}

// exp(x) times 2 to the power n.
fn okl_exp_scaled_f64(x: f64, n: i32) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (x > 720.0lf) {
        return okl_inf_f64();
    }
    if (x < -760.0lf) {
        return 0.0lf;
    }
    if (abs(x) <= 0.34657359027997264lf) {
        return okl_exp_part_f64(x, 0.0lf, n);
    }
    let k = round(1.44269504088896338700e+00lf * x);
    return okl_exp_part_f64(x - k * 6.93147180369123816490e-01lf, k * 1.90821492927058770002e-10lf, i32(k) + n);
}

fn okl_exp_f64(x: f64) -> f64 {
    return okl_exp_scaled_f64(x, 0);
}

fn okl_exp2_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (x >= 1024.0lf) {
        return okl_inf_f64();
    }
    if (x < -1080.0lf) {
        return 0.0lf;
    }
    let k = round(x);
    let r = x - k;
    let high = r * 0.6931471805599453lf;
    let low = fma(r, 0.6931471805599453lf, -high) + r * 2.3190468138462996e-17lf;
    return okl_exp_part_f64(high, -low, i32(k));
}

fn okl_expm1_f64(given: f64) -> f64 {
    var x = given;
    if (okl_isnan_f64(x) || abs(x) < 5.0e-17lf) {
        return x;
    }
    if (x < -40.0lf) {
        return -1.0lf;
    }
    if (x > 7.09782712893383973096e+02lf) {
        return okl_inf_f64();
    }
    var k = 0;
    var c = 0.0lf;
    if (abs(x) > 0.34657359027997264lf) {
        var high = 0.0lf;
        var low = 0.0lf;
        if (abs(x) < 1.0397207708399179lf) {
            k = select(-1, 1, x > 0.0lf);
            high = x - f64(k) * 6.93147180369123816490e-01lf;
            low = f64(k) * 1.90821492927058770002e-10lf;
        } else {
            k = i32(1.44269504088896338700e+00lf * x + select(-0.5lf, 0.5lf, x > 0.0lf));
            high = x - f64(k) * 6.93147180369123816490e-01lf;
            low = f64(k) * 1.90821492927058770002e-10lf;
        }
        x = high - low;
        c = (high - x) - low;
    }
    let half = 0.5lf * x;
    let s = x * half;
    let r = 1.0lf + s * (-3.33333333333331316428e-02lf + s * (1.58730158725481460165e-03lf
        + s * (-7.93650757867487942473e-05lf + s * (4.00821782732936239552e-06lf + s * -2.01099218183624371326e-07lf))));
    let t = 3.0lf - r * half;
    var e = s * ((r - t) / (6.0lf - x * t));
    if (k == 0) {
        return x - (x * e - s);
    }
    e = x * (e - c) - c - s;
    if (k == -1) {
        return 0.5lf * (x - e) - 0.5lf;
    }
    if (k == 1) {
        return select(1.0lf + 2.0lf * (x - e), -2.0lf * (e - (x + 0.5lf)), x < -0.25lf);
    }
    if (k < 0 || k > 56) {
        let y = x - e + 1.0lf;
        // The largest power is no number of its own.
        let scaled = 2.0lf * (y * okl_power_of_two_f64(k - 1));
        return scaled - 1.0lf;
    }
    let small = okl_power_of_two_f64(-k);
    let y = select(x - (e + small) + 1.0lf, x - e + (1.0lf - small), k < 20);
    return y * okl_power_of_two_f64(k);
}

// 1 + f times 2 to the power k, with 1 + f between the square roots of 1/2 and 2.
struct okl_log_parts {
    f: f64,
    k: i32,
}

fn okl_log_split_f64(x: f64) -> okl_log_parts {
    let normal = okl_normal_f64(x);
    let high = u32(normal.bits >> 32u) + 0x00095f62u;
    let k = i32(high >> 20u) - 1023 + normal.exponent;
    let word = (high & 0x000fffffu) + 0x3fe6a09eu;
    let reduced = bitcast<f64>((u64(word) << 32u) | (normal.bits & 0xfffffffflu));
    return okl_log_parts(reduced - 1.0lf, k);
}

// log(1 + f) - f + f * f / 2, the last of which is given.
fn okl_log_rest_f64(f: f64, half_square: f64) -> f64 {
    let s = f / (2.0lf + f);
    let z = s * s;
    let w = z * z;
    let even = w * (3.999999999940941908e-01lf + w * (2.222219843214978396e-01lf + w * 1.531383769920937332e-01lf));
    let odd = z * (6.666666666666735130e-01lf + w * (2.857142874366239149e-01lf
        + w * (1.818357216161805012e-01lf + w * 1.479819860511658591e-01lf)));
    return s * (half_square + (odd + even));
}

// What every logarithm says of numbers that have none; of others, 1.
fn okl_log_special_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    if ((bitcast<u64>(x) << 1u) == 0lu) {
        return -okl_inf_f64();
    }
    if ((bitcast<u64>(x) >> 63u) == 1lu) {
        return okl_nan_f64();
    }
    return select(1.0lf, x, okl_isinf_f64(x));
}

fn okl_log_f64(x: f64) -> f64 {
    let special = okl_log_special_f64(x);
    if (!(special == 1.0lf)) {
        return special;
    }
    let parts = okl_log_split_f64(x);
    let k = f64(parts.k);
    let half_square = 0.5lf * parts.f * parts.f;
    let rest = okl_log_rest_f64(parts.f, half_square);
    return rest + k * 1.90821492927058770002e-10lf - half_square + parts.f + k * 6.93147180369123816490e-01lf;
}

fn okl_log2_f64(x: f64) -> f64 {
    let special = okl_log_special_f64(x);
    if (!(special == 1.0lf)) {
        return special;
    }
    let parts = okl_log_split_f64(x);
    let half_square = 0.5lf * parts.f * parts.f;
    let high = okl_high_f64(parts.f - half_square);
    let low = (parts.f - high) - half_square + okl_log_rest_f64(parts.f, half_square);
    let upper = high * 1.44269504072144627571e+00lf;
    let lower = (low + high) * 1.67517131648865118353e-10lf + low * 1.44269504072144627571e+00lf;
    let k = f64(parts.k);
    let sum = k + upper;
    return lower + ((k - sum) + upper) + sum;
}

fn okl_log10_f64(x: f64) -> f64 {
    let special = okl_log_special_f64(x);
    if (!(special == 1.0lf)) {
        return special;
    }
    let parts = okl_log_split_f64(x);
    let half_square = 0.5lf * parts.f * parts.f;
    let high = okl_high_f64(parts.f - half_square);
    let low = (parts.f - high) - half_square + okl_log_rest_f64(parts.f, half_square);
    let upper = high * 4.34294481878168880939e-01lf;
    let k = f64(parts.k);
    let y = k * 3.01029995663611771306e-01lf;
    let lower = k * 3.69423907715893078616e-13lf + (low + high) * 2.50829467116452752298e-11lf
        + low * 4.34294481878168880939e-01lf;
    let sum = y + upper;
    return lower + ((y - sum) + upper) + sum;
}

fn okl_log1p_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x) || abs(x) < 1.0e-16lf || x == okl_inf_f64()) {
        return x;
    }
    if (x <= -1.0lf) {
        return select(okl_nan_f64(), -okl_inf_f64(), x == -1.0lf);
    }
    var k = 0;
    var c = 0.0lf;
    var f = x;
    if (x <= -0.2928932188134525lf || x >= 0.41421356237309503lf) {
        let sum = 1.0lf + x;
        let parts = okl_log_split_f64(sum);
        k = parts.k;
        f = parts.f;
        // What rounding the sum has lost.
        if (k < 54) {
            c = select(x - (sum - 1.0lf), 1.0lf - (sum - x), k >= 2) / sum;
        }
    }
    let half_square = 0.5lf * f * f;
    let rest = okl_log_rest_f64(f, half_square);
    return rest + (f64(k) * 1.90821492927058770002e-10lf + c) - half_square + f + f64(k) * 6.93147180369123816490e-01lf;
}

// Whether y is no integer (0), an odd one (1) or an even one (2).
fn okl_parity_f64(y: f64) -> u32 {
    let magnitude = abs(y);
    if (magnitude >= 9007199254740992.0lf) {
        return 2u;
    }
    if (!(trunc(magnitude) == magnitude)) {
        return 0u;
    }
    let half = 0.5lf * magnitude;
    return select(1u, 2u, trunc(half) == half);
}

// |x| to the power y, for x that is neither 0, 1, infinite nor NaN and y that is neither 0, infinite nor NaN.
fn okl_pow_positive_f64(x: f64, y: f64) -> f64 {
    var log_high = 0.0lf;
    var log_low = 0.0lf;
    let magnitude_y = abs(y);
    if (magnitude_y > 18446744073709551616.0lf) {
        return select(0.0lf, okl_inf_f64(), (x > 1.0lf) == (y > 0.0lf));
    }
    let distance = x - 1.0lf;
    if (magnitude_y > 2147483648.0lf && abs(distance) > 9.5367431640625e-7lf) {
        return select(0.0lf, okl_inf_f64(), (x > 1.0lf) == (y > 0.0lf));
    }
    if (magnitude_y > 2147483648.0lf) {
        // The logarithm of a number that near to 1 is four terms of its series.
        let w = (distance * distance) * (0.5lf - distance * (0.3333333333333333333333lf - distance * 0.25lf));
        let upper = okl_high_f64(distance);
        let u = 1.44269502162933349609e+00lf * upper;
        let v = (distance - upper) * 1.44269502162933349609e+00lf + (distance * 1.92596299112661746887e-08lf
            - w * 1.44269504088896338700e+00lf);
        log_high = okl_high_f64(u + v);
        log_low = v - (log_high - u);
    } else {
        let normal = okl_normal_f64(x);
        var word = u32(normal.bits >> 32u);
        var n = i32(word >> 20u) - 1023 + normal.exponent;
        let j = word & 0x000fffffu;
        word = j | 0x3ff00000u;
        var upper = false;
        if (j > 0x3988eu) {
            if (j < 0xbb67au) {
                upper = true;
            } else {
                n += 1;
                word -= 0x00100000u;
            }
        }
        let a = bitcast<f64>((u64(word) << 32u) | (normal.bits & 0xfffffffflu));
        let base = select(1.0lf, 1.5lf, upper);
        let u = a - base;
        let v = 1.0lf / (a + base);
        let ss = u * v;
        let s_high = okl_high_f64(ss);
        let t_word = ((word >> 1u) | 0x20000000u) + 0x00080000u + select(0u, 0x00040000u, upper);
        let t_high = bitcast<f64>(u64(t_word) << 32u);
        let t_low = a - (t_high - base);
        let s_low = v * ((u - s_high * t_high) - s_high * t_low);
        let s2 = ss * ss;
        var r = s2 * s2 * (5.99999999999994648725e-01lf + s2 * (4.28571428578550184252e-01lf
            + s2 * (3.33333329818377432918e-01lf + s2 * (2.72728123808534006489e-01lf
            + s2 * (2.30660745775561754067e-01lf + s2 * 2.06975017800338417784e-01lf)))));
        r += s_low * (s_high + ss);
        let square = s_high * s_high;
        let q_high = okl_high_f64(3.0lf + square + r);
        let q_low = r - ((q_high - 3.0lf) - square);
        let p = s_high * q_high;
        let q = s_low * q_high + q_low * ss;
        let p_high = okl_high_f64(p + q);
        let p_low = q - (p_high - p);
        let z_high = 9.61796700954437255859e-01lf * p_high;
        let z_low = -7.02846165095275826516e-09lf * p_high + p_low * 9.61796693925975554329e-01lf
            + select(0.0lf, 1.35003920212974897128e-08lf, upper);
        let shift_high = select(0.0lf, 5.84962487220764160156e-01lf, upper);
        let t = f64(n);
        log_high = okl_high_f64(((z_high + z_low) + shift_high) + t);
        log_low = z_low - (((log_high - t) - shift_high) - z_high);
    }
    // y times the logarithm to base 2, in two parts.
    let y_high = okl_high_f64(y);
    let p_low = (y - y_high) * log_high + y * log_low;
    var p_high = y_high * log_high;
    let z = p_low + p_high;
    if (z >= 1024.0lf && (z > 1024.0lf || p_low + 8.0085662595372944372e-17lf > z - p_high)) {
        return okl_inf_f64();
    }
    if (z < -1076.0lf) {
        return 0.0lf;
    }
    let whole = round(z);
    p_high -= whole;
    let t = okl_high_f64(p_low + p_high);
    let u = t * 6.93147182464599609375e-01lf;
    let v = (p_low - (t - p_high)) * 6.93147180559945286227e-01lf + t * -1.90465429995776804525e-09lf;
    let e = u + v;
    let w = v - (e - u);
    let s = e * e;
    let c = e - s * (1.66666666666666019037e-01lf + s * (-2.77777777770155933842e-03lf + s * (6.61375632143793436117e-05lf
        + s * (-1.65339022054652515390e-06lf + s * 4.13813679705723846039e-08lf))));
    let r = (e * c) / (c - 2.0lf) - (w + e * w);
    return okl_ldexp_f64(1.0lf - (r - e), i32(whole));
}

fn okl_pow_f64(x: f64, y: f64) -> f64 {
    if ((bitcast<u64>(y) << 1u) == 0lu || x == 1.0lf) {
        return 1.0lf;
    }
    if (okl_isnan_f64(x) || okl_isnan_f64(y)) {
        return okl_nan_f64();
    }
    let magnitude = abs(x);
    if (okl_isinf_f64(y)) {
        if (magnitude == 1.0lf) {
            return 1.0lf;
        }
        return select(0.0lf, okl_inf_f64(), (magnitude > 1.0lf) == (y > 0.0lf));
    }
    let negative = (bitcast<u64>(x) >> 63u) == 1lu;
    let parity = okl_parity_f64(y);
    let flips = negative && parity == 1u;
    let is_zero = (bitcast<u64>(x) << 1u) == 0lu;
    var result = 1.0lf;
    if (is_zero || okl_isinf_f64(x)) {
        result = select(0.0lf, okl_inf_f64(), is_zero == (y < 0.0lf));
    } else if (negative && parity == 0u) {
        return okl_nan_f64();
    } else if (!(magnitude == 1.0lf)) {
        result = okl_pow_positive_f64(magnitude, y);
    }
    return select(result, -result, flips);
}

fn okl_sinh_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (magnitude < 3.725290298461914e-9lf) {
        return x;
    }
    let half = okl_copysign_f64(0.5lf, x);
    if (magnitude < 700.0lf) {
        let t = okl_expm1_f64(magnitude);
        return half * select(t + t / (t + 1.0lf), 2.0lf * t - t * t / (t + 1.0lf), magnitude < 1.0lf);
    }
    return 2.0lf * half * okl_exp_scaled_f64(magnitude, -1);
}

fn okl_cosh_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (magnitude < 0.6931471805599453lf) {
        let t = okl_expm1_f64(magnitude);
        return 1.0lf + t * t / (2.0lf * (1.0lf + t));
    }
    if (magnitude < 40.0lf) {
        let t = okl_exp_f64(magnitude);
        return 0.5lf * (t + 1.0lf / t);
    }
    return okl_exp_scaled_f64(magnitude, -1);
}

fn okl_tanh_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    var t = magnitude;
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (magnitude > 20.0lf) {
        t = 1.0lf;
    } else if (magnitude > 0.5493061443340548lf) {
        t = 1.0lf - 2.0lf / (okl_expm1_f64(2.0lf * magnitude) + 2.0lf);
    } else if (magnitude > 0.2554128118829953lf) {
        t = okl_expm1_f64(2.0lf * magnitude);
        t = t / (t + 2.0lf);
    } else if (magnitude > 1.0e-9lf) {
        t = okl_expm1_f64(-2.0lf * magnitude);
        t = -t / (t + 2.0lf);
    }
    return okl_copysign_f64(t, x);
}

fn okl_asinh_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    var t = magnitude;
    if (okl_isnan_f64(x) || okl_isinf_f64(x)) {
        return x;
    }
    if (magnitude >= 67108864.0lf) {
        t = okl_log_f64(magnitude) + 0.6931471805599453lf;
    } else if (magnitude >= 2.0lf) {
        t = okl_log_f64(2.0lf * magnitude + 1.0lf / (sqrt(magnitude * magnitude + 1.0lf) + magnitude));
    } else if (magnitude >= 1.4901161193847656e-8lf) {
        t = okl_log1p_f64(magnitude + magnitude * magnitude / (sqrt(magnitude * magnitude + 1.0lf) + 1.0lf));
    }
    return okl_copysign_f64(t, x);
}

fn okl_acosh_f64(x: f64) -> f64 {
    if (x < 1.0lf) {
        return okl_nan_f64();
    }
    if (x < 2.0lf) {
        let t = x - 1.0lf;
        return okl_log1p_f64(t + sqrt(t * t + 2.0lf * t));
    }
    if (x < 67108864.0lf) {
        return okl_log_f64(2.0lf * x - 1.0lf / (x + sqrt(x * x - 1.0lf)));
    }
    return okl_log_f64(x) + 0.6931471805599453lf;
}

fn okl_atanh_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    var t = magnitude;
    if (okl_isnan_f64(x) || magnitude < 2.3283064365386963e-10lf) {
        return x;
    }
    if (magnitude >= 1.0lf) {
        t = select(okl_nan_f64(), okl_inf_f64(), magnitude == 1.0lf);
    } else if (magnitude < 0.5lf) {
        t = 0.5lf * okl_log1p_f64(2.0lf * magnitude + 2.0lf * magnitude * magnitude / (1.0lf - magnitude));
    } else {
        t = 0.5lf * okl_log1p_f64(2.0lf * (magnitude / (1.0lf - magnitude)));
    }
    return okl_copysign_f64(t, x);
}

fn okl_cbrt_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    let is_zero = (bitcast<u64>(x) << 1u) == 0lu;
    if (is_zero || okl_isinf_f64(x) || okl_isnan_f64(x)) {
        return x;
    }
    // A multiple of three is taken out of the exponent, so that no step leaves the normal numbers.
    let normal = okl_normal_f64(bitcast<f64>(bitcast<u64>(x) & 0x7ffffffffffffffflu));
    let exponent = i32(u32(normal.bits >> 52u)) - 1023 + normal.exponent;
    let third = (exponent + 3000) / 3 - 1000;
    let rest = exponent - 3 * third;
    let a = bitcast<f64>((normal.bits & 0x000ffffffffffffflu) | (u64(u32(1023 + rest)) << 52u));
    let guess = (u32(bitcast<u64>(a) >> 32u) / 3u) + 715094163u;
    var t = bitcast<f64>(u64(guess) << 32u);
    let r = (t * t) * (t / a);
    t = t * ((1.87595182427177009643lf + r * (-1.88497979543377169875lf + r * 1.621429720105354466140lf))
        + ((r * r) * r) * (-0.758397934778766047437lf + r * 0.145996192886612446982lf));
    t = bitcast<f64>((bitcast<u64>(t) + 0x80000000lu) & 0xffffffffc0000000lu);
    let s = t * t;
    let q = a / s;
    let w = t + t;
    t = t + t * ((q - t) / (w + q));
    return okl_copysign_f64(t * okl_power_of_two_f64(third), x);
}

fn okl_hypot_f64(x: f64, y: f64) -> f64 {
    if (okl_isinf_f64(x) || okl_isinf_f64(y)) {
        return okl_inf_f64();
    }
    if (okl_isnan_f64(x) || okl_isnan_f64(y)) {
        return okl_nan_f64();
    }
    // The bits of numbers that are not negative are ordered as the numbers are.
    let p = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    let q = bitcast<u64>(y) & 0x7ffffffffffffffflu;
    let large = max(p, q);
    let small = min(p, q);
    if (small == 0lu) {
        return bitcast<f64>(large);
    }
    let normal = okl_normal_f64(bitcast<f64>(large));
    let exponent = i32(u32(normal.bits >> 52u)) - 1023 + normal.exponent;
    let a = okl_ldexp_f64(bitcast<f64>(large), -exponent);
    let b = okl_ldexp_f64(bitcast<f64>(small), -exponent);
    let a2 = a * a;
    let b2 = b * b;
    let rest = fma(a, a, -a2) + fma(b, b, -b2);
    let sum = a2 + b2;
    let lost = (a2 - sum) + b2;
    let root = sqrt(sum);
    // One step of Newton's method on what the sum has lost.
    let error = fma(-root, root, sum) + (lost + rest);
    return okl_ldexp_f64(root + error / (2.0lf * root), exponent);
}

// The rest of a division, by integers: it is exact.
fn okl_fmod_f64(x: f64, y: f64) -> f64 {
    let sign = bitcast<u64>(x) & 0x8000000000000000lu;
    let a = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    let b = bitcast<u64>(y) & 0x7ffffffffffffffflu;
    if (b == 0lu || a >= 0x7ff0000000000000lu || b > 0x7ff0000000000000lu) {
        return okl_nan_f64();
    }
    if (a < b) {
        return x;
    }
    let p = okl_normal_f64(bitcast<f64>(a));
    let q = okl_normal_f64(bitcast<f64>(b));
    var rest = (p.bits & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    let divisor = (q.bits & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    let exponent_y = i32(u32(q.bits >> 52u)) + q.exponent;
    var steps = i32(u32(p.bits >> 52u)) + p.exponent - exponent_y;
    rest = rest % divisor;
    while (steps > 0) {
        // Eleven bits at a time: what is shifted stays below 2 to the power 64.
        let bits = min(steps, 11);
        rest = (rest << u32(bits)) % divisor;
        steps -= bits;
    }
    if (rest == 0lu) {
        return bitcast<f64>(sign);
    }
    let high = u32(rest >> 32u);
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(u32(rest)), high == 0u);
    let exponent = exponent_y - (i32(zeros) - 11);
    if (exponent >= 1) {
        return bitcast<f64>(sign | (u64(u32(exponent)) << 52u) | ((rest << (zeros - 11u)) & 0x000ffffffffffffflu));
    }
    return bitcast<f64>(sign | (rest << u32(exponent_y - 1)));
}
