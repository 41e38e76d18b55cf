// The same functions in single precision, with single-precision arithmetic alone: not every device has double, and
// those that have it are slow at it. The algorithms are those of FreeBSD's msun (Copyright (C) 1993 by Sun Microsystems,
// Inc. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
// preserved; conversion to float by Ian Lance Taylor, Cygnus Support).

// A positive number in a form that is not subnormal: the bits of a normal number, times a power of two.
struct okl_normal_single {
    bits: u32,
    exponent: i32,
}

fn okl_normal_f32(x: f32) -> okl_normal_single {
    let bits = bitcast<u32>(x);
    if (bits >= 0x00800000u) {
        return okl_normal_single(bits, 0);
    }
    let shift = countLeadingZeros(bits) - 8u;
    return okl_normal_single(bits << shift, -i32(shift));
}

// Correctly rounded, from a root that is off by some units. With x = m 4^k, where m is whole and m 2^23 lies in
// [2^46, 2^48), the root is a whole number r of 24 bits, times a power of two; r is the nearest where m 2^23 - r^2 lies
// in (-r, r], and that difference is so small that its low 32 bits tell it.
fn okl_sqrt_f32(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) == 0u || bits == 0x7f800000u || okl_isnan_f32(x)) {
        return x;
    }
    if (bits >= 0x80000000u) {
        return okl_nan_f32();
    }
    let normal = okl_normal_f32(x);
    let exponent = i32(normal.bits >> 23u) - 127 + normal.exponent;
    let whole = ((normal.bits & 0x007fffffu) | 0x00800000u) << u32(exponent & 1);
    var root = u32(sqrt(f32(whole << 1u)) * 2048.0f);
    var rest = bitcast<i32>((whole << 23u) - root * root);
    loop {
        if (rest > i32(root)) {
            rest -= 2 * i32(root) + 1;
            root += 1u;
        } else if (rest <= -i32(root)) {
            rest += 2 * i32(root) - 1;
            root -= 1u;
        } else {
            break;
        }
    }
    return bitcast<f32>((u32((exponent >> 1u) + 126) << 23u) + root);
}

fn okl_ldexp_f32(x: f32, n: i32) -> f32 {
    let sign = bitcast<u32>(x) & 0x80000000u;
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    if (magnitude == 0u || magnitude >= 0x7f800000u) {
        return x;
    }
    let normal = okl_normal_f32(bitcast<f32>(magnitude));
    let exponent = i32(normal.bits >> 23u) + normal.exponent + n;
    let mantissa = (normal.bits & 0x007fffffu) | 0x00800000u;
    if (exponent >= 255) {
        return bitcast<f32>(sign | bitcast<u32>(okl_inf_f32()));
    }
    if (exponent >= 1) {
        return bitcast<f32>(sign | (u32(exponent) << 23u) | (mantissa & 0x007fffffu));
    }
    if (exponent < -24) {
        return bitcast<f32>(sign);
    }
    let shift = u32(1 - exponent);
    let kept = mantissa >> shift;
    let lost = mantissa & ((1u << shift) - 1u);
    let half = 1u << (shift - 1u);
    let up = lost > half || (lost == half && (kept & 1u) == 1u);
    return bitcast<f32>(sign | (kept + select(0u, 1u, up)));
}

fn okl_power_of_two_f32(n: i32) -> f32 {
    return bitcast<f32>(u32(127 + n) << 23u);
}

// Without its sign. A driver may take a subnormal number for zero wherever it computes with it, its bits it keeps.
fn okl_magnitude_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu);
}

// The number with its lower 12 bits zero: the product of two such is exact.
fn okl_high_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

fn okl_exp_part_f32(high: f32, low: f32, n: i32) -> f32 {
    let x = high - low;
    let s = x * x;
    let c = x - s * (1.6666625440e-1f + s * -2.7667332906e-3f);
    let y = 1.0f + (x * c / (2.0f - c) - low + high);
    if (n >= -120 && n <= 127) {
        return y * okl_power_of_two_f32(n);
    }
    return okl_ldexp_f32(y, n);
}

fn okl_exp_scaled_f32(x: f32, n: i32) -> f32 {
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (x > 100.0f) {
        return okl_inf_f32();
    }
    if (x < -200.0f) {
        return 0.0f;
    }
    if (abs(x) <= 0.34657359f) {
        return okl_exp_part_f32(x, 0.0f, n);
    }
    let k = round(1.4426950216e+00f * x);
    return okl_exp_part_f32(x - k * 6.9314575195e-01f, k * 1.4286067653e-06f, i32(k) + n);
}

fn okl_exp_f32(x: f32) -> f32 {
    return okl_exp_scaled_f32(x, 0);
}

fn okl_exp2_f32(x: f32) -> f32 {
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (x >= 128.0f) {
        return okl_inf_f32();
    }
    if (x < -160.0f) {
        return 0.0f;
    }
    let k = round(x);
    let r = x - k;
    // The series of 2 to the power r, from its second term on.
    let p = r * (6.9314718e-01f + r * (2.4022651e-01f + r * (5.5504109e-02f + r * (9.6181291e-03f + r * (1.3333558e-03f
        + r * (1.5403530e-04f + r * 1.5252734e-05f))))));
    return okl_ldexp_f32(1.0f + p, i32(k));
}

fn okl_expm1_f32(given: f32) -> f32 {
    var x = given;
    if (okl_isnan_f32(x) || abs(x) < 2.9e-08f) {
        return x;
    }
    if (x < -18.0f) {
        return -1.0f;
    }
    if (x > 88.72168f) {
        return okl_inf_f32();
    }
    var k = 0;
    var c = 0.0f;
    if (abs(x) > 0.3465736f) {
        var high = 0.0f;
        var low = 0.0f;
        if (abs(x) < 1.0397208f) {
            k = select(-1, 1, x > 0.0f);
            high = x - f32(k) * 0.6931381f;
            low = f32(k) * 9.058001e-06f;
        } else {
            k = i32(1.442695f * x + select(-0.5f, 0.5f, x > 0.0f));
            high = x - f32(k) * 0.6931381f;
            low = f32(k) * 9.058001e-06f;
        }
        x = high - low;
        c = (high - x) - low;
    }
    let half = 0.5f * x;
    let s = x * half;
    let r = 1.0f + s * (-0.033333212f + s * 0.001580717f);
    let t = 3.0f - r * half;
    var e = s * ((r - t) / (6.0f - x * t));
    if (k == 0) {
        return x - (x * e - s);
    }
    e = x * (e - c) - c - s;
    if (k == -1) {
        return 0.5f * (x - e) - 0.5f;
    }
    if (k == 1) {
        return select(1.0f + 2.0f * (x - e), -2.0f * (e - (x + 0.5f)), x < -0.25f);
    }
    if (k < 0 || k > 56) {
        let y = x - e + 1.0f;
        // The largest power is no number of its own.
        let scaled = 2.0f * (y * okl_power_of_two_f32(k - 1));
        return scaled - 1.0f;
    }
    let small = okl_power_of_two_f32(-k);
    let y = select(x - (e + small) + 1.0f, x - e + (1.0f - small), k < 23);
    return y * okl_power_of_two_f32(k);
}

struct okl_log_parts_single {
    f: f32,
    k: i32,
}

fn okl_log_split_f32(x: f32) -> okl_log_parts_single {
    let normal = okl_normal_f32(x);
    let bits = normal.bits + 0x004afb0du;
    let k = i32(bits >> 23u) - 127 + normal.exponent;
    let reduced = bitcast<f32>((bits & 0x007fffffu) + 0x3f3504f3u);
    return okl_log_parts_single(reduced - 1.0f, k);
}

fn okl_log_rest_f32(f: f32, half_square: f32) -> f32 {
    let s = f / (2.0f + f);
    let z = s * s;
    let w = z * z;
    let even = w * (0.40000972152f + w * 0.24279078841f);
    let odd = z * (0.66666662693f + w * 0.28498786688f);
    return s * (half_square + (odd + even));
}

// What every logarithm says of numbers that have none; of others, 1.
fn okl_log_special_f32(x: f32) -> f32 {
    if (okl_isnan_f32(x)) {
        return x;
    }
    if ((bitcast<u32>(x) << 1u) == 0u) {
        return -okl_inf_f32();
    }
    if ((bitcast<u32>(x) >> 31u) == 1u) {
        return okl_nan_f32();
    }
    return select(1.0f, x, okl_isinf_f32(x));
}

fn okl_log_f32(x: f32) -> f32 {
    let special = okl_log_special_f32(x);
    if (!(special == 1.0f)) {
        return special;
    }
    let parts = okl_log_split_f32(x);
    let k = f32(parts.k);
    let half_square = 0.5f * parts.f * parts.f;
    let rest = okl_log_rest_f32(parts.f, half_square);
    return rest + k * 9.058001e-06f - half_square + parts.f + k * 0.6931381f;
}

fn okl_log2_f32(x: f32) -> f32 {
    let special = okl_log_special_f32(x);
    if (!(special == 1.0f)) {
        return special;
    }
    let parts = okl_log_split_f32(x);
    let half_square = 0.5f * parts.f * parts.f;
    let high = okl_high_f32(parts.f - half_square);
    let low = (parts.f - high) - half_square + okl_log_rest_f32(parts.f, half_square);
    let upper = high * 1.4428711f;
    let lower = (low + high) * -0.00017605285f + low * 1.4428711f;
    let k = f32(parts.k);
    let sum = k + upper;
    return lower + ((k - sum) + upper) + sum;
}

fn okl_log10_f32(x: f32) -> f32 {
    let special = okl_log_special_f32(x);
    if (!(special == 1.0f)) {
        return special;
    }
    let parts = okl_log_split_f32(x);
    let half_square = 0.5f * parts.f * parts.f;
    let high = okl_high_f32(parts.f - half_square);
    let low = (parts.f - high) - half_square + okl_log_rest_f32(parts.f, half_square);
    let upper = high * 0.43432617f;
    let k = f32(parts.k);
    let y = k * 0.3010292f;
    let lower = k * 7.903415e-07f + (low + high) * -3.168997e-05f
        + low * 0.43432617f;
    let sum = y + upper;
    return lower + ((y - sum) + upper) + sum;
}

fn okl_log1p_f32(x: f32) -> f32 {
    if (okl_isnan_f32(x) || abs(x) < 2.9e-08f || x == okl_inf_f32()) {
        return x;
    }
    if (x <= -1.0f) {
        return select(okl_nan_f32(), -okl_inf_f32(), x == -1.0f);
    }
    var k = 0;
    var c = 0.0f;
    var f = x;
    if (x <= -0.29289323f || x >= 0.41421357f) {
        let sum = 1.0f + x;
        let parts = okl_log_split_f32(sum);
        k = parts.k;
        f = parts.f;
        // What rounding the sum has lost.
        if (k < 25) {
            c = select(x - (sum - 1.0f), 1.0f - (sum - x), k >= 2) / sum;
        }
    }
    let half_square = 0.5f * f * f;
    let rest = okl_log_rest_f32(f, half_square);
    return rest + (f32(k) * 9.058001e-06f + c) - half_square + f + f32(k) * 0.6931381f;
}

// Whether y is no integer (0), an odd one (1) or an even one (2).
fn okl_parity_f32(y: f32) -> u32 {
    let magnitude = okl_magnitude_f32(y);
    if (bitcast<u32>(magnitude) < 0x3f800000u) {
        return select(0u, 2u, bitcast<u32>(magnitude) == 0u);
    }
    if (magnitude >= 16777216.0f) {
        return 2u;
    }
    if (!(trunc(magnitude) == magnitude)) {
        return 0u;
    }
    let half = 0.5f * magnitude;
    return select(1u, 2u, trunc(half) == half);
}

fn okl_pow_positive_f32(x: f32, y: f32) -> f32 {
    var log_high = 0.0f;
    var log_low = 0.0f;
    let magnitude_y = abs(y);
    let distance = x - 1.0f;
    let is_huge = magnitude_y > 134217728.0f;
    if (is_huge && abs(distance) > 0.0009765625f) {
        return select(0.0f, okl_inf_f32(), (x > 1.0f) == (y > 0.0f));
    }
    if (is_huge) {
        let w = (distance * distance) * (0.5f - distance * (0.333333333333f - distance * 0.25f));
        let upper = okl_high_f32(distance);
        let u = 1.4426879883e+00f * upper;
        let v = (distance - upper) * 1.4426879883e+00f + (distance * 7.0526075433e-06f - w * 1.4426950216e+00f);
        log_high = okl_high_f32(u + v);
        log_low = v - (log_high - u);
    } else {
        let normal = okl_normal_f32(x);
        var n = i32(normal.bits >> 23u) - 127 + normal.exponent;
        let j = normal.bits & 0x007fffffu;
        var word = j | 0x3f800000u;
        var upper = false;
        if (j > 0x1cc471u) {
            if (j < 0x5db3d7u) {
                upper = true;
            } else {
                n += 1;
                word -= 0x00800000u;
            }
        }
        let a = bitcast<f32>(word);
        let base = select(1.0f, 1.5f, upper);
        let u = a - base;
        let v = 1.0f / (a + base);
        let ss = u * v;
        let s_high = okl_high_f32(ss);
        let t_high = bitcast<f32>((((word >> 1u) & 0xfffff000u) | 0x20000000u) + 0x00400000u + select(0u, 0x00200000u, upper));
        let t_low = a - (t_high - base);
        let s_low = v * ((u - s_high * t_high) - s_high * t_low);
        let s2 = ss * ss;
        var r = s2 * s2 * (6.0000002384e-01f + s2 * (4.2857143283e-01f + s2 * (3.3333334327e-01f + s2 * (2.7272811532e-01f
            + s2 * (2.3066075146e-01f + s2 * 2.0697501302e-01f)))));
        r += s_low * (s_high + ss);
        let square = s_high * s_high;
        let q_high = okl_high_f32(3.0f + square + r);
        let q_low = r - ((q_high - 3.0f) - square);
        let p = s_high * q_high;
        let q = s_low * q_high + q_low * ss;
        let p_high = okl_high_f32(p + q);
        let p_low = q - (p_high - p);
        let z_high = 9.6191406250e-01f * p_high;
        let z_low = -1.1736857402e-04f * p_high + p_low * 9.6179670095e-01f + select(0.0f, 1.56322085e-06f, upper);
        let shift_high = select(0.0f, 5.84960938e-01f, upper);
        let t = f32(n);
        log_high = okl_high_f32(((z_high + z_low) + shift_high) + t);
        log_low = z_low - (((log_high - t) - shift_high) - z_high);
    }
    let y_high = okl_high_f32(y);
    let p_low = (y - y_high) * log_high + y * log_low;
    var p_high = y_high * log_high;
    let z = p_low + p_high;
    if (z >= 128.0f && (z > 128.0f || p_low + 4.2995665694e-08f > z - p_high)) {
        return okl_inf_f32();
    }
    if (z < -151.0f) {
        return 0.0f;
    }
    let whole = round(z);
    p_high -= whole;
    let t = bitcast<f32>(bitcast<u32>(p_low + p_high) & 0xffff8000u);
    let u = t * 6.93145752e-01f;
    let v = (p_low - (t - p_high)) * 6.9314718246e-01f + t * 1.42860654e-06f;
    let e = u + v;
    let w = v - (e - u);
    let s = e * e;
    let c = e - s * (1.6666667163e-01f + s * (-2.7777778450e-03f + s * (6.6137559770e-05f + s * (-1.6533901999e-06f
        + s * 4.1381369442e-08f))));
    let r = (e * c) / (c - 2.0f) - (w + e * w);
    return okl_ldexp_f32(1.0f - (r - e), i32(whole));
}

fn okl_pow_f32(x: f32, y: f32) -> f32 {
    if ((bitcast<u32>(y) << 1u) == 0u || x == 1.0f) {
        return 1.0f;
    }
    if (okl_isnan_f32(x) || okl_isnan_f32(y)) {
        return okl_nan_f32();
    }
    let magnitude = okl_magnitude_f32(x);
    if (okl_isinf_f32(y)) {
        if (magnitude == 1.0f) {
            return 1.0f;
        }
        return select(0.0f, okl_inf_f32(), (magnitude > 1.0f) == (y > 0.0f));
    }
    let negative = (bitcast<u32>(x) >> 31u) == 1u;
    let parity = okl_parity_f32(y);
    let flips = negative && parity == 1u;
    let is_zero = (bitcast<u32>(x) << 1u) == 0u;
    var result = 1.0f;
    if (is_zero || okl_isinf_f32(x)) {
        result = select(0.0f, okl_inf_f32(), is_zero == (bitcast<u32>(y) >> 31u == 1u));
    } else if (negative && parity == 0u) {
        return okl_nan_f32();
    } else if (!(magnitude == 1.0f)) {
        result = okl_pow_positive_f32(magnitude, y);
    }
    return select(result, -result, flips);
}

fn okl_sinh_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (magnitude < 0.00024f) {
        return x;
    }
    let half = okl_copysign_f32(0.5f, x);
    if (magnitude < 8e+01f) {
        let t = okl_expm1_f32(magnitude);
        return half * select(t + t / (t + 1.0f), 2.0f * t - t * t / (t + 1.0f), magnitude < 1.0f);
    }
    return 2.0f * half * okl_exp_scaled_f32(magnitude, -1);
}

fn okl_cosh_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (magnitude < 0.6931472f) {
        let t = okl_expm1_f32(magnitude);
        return 1.0f + t * t / (2.0f * (1.0f + t));
    }
    if (magnitude < 2e+01f) {
        let t = okl_exp_f32(magnitude);
        return 0.5f * (t + 1.0f / t);
    }
    return okl_exp_scaled_f32(magnitude, -1);
}

fn okl_tanh_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    var t = magnitude;
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (magnitude > 2e+01f) {
        t = 1.0f;
    } else if (magnitude > 0.54930615f) {
        t = 1.0f - 2.0f / (okl_expm1_f32(2.0f * magnitude) + 2.0f);
    } else if (magnitude > 0.25541282f) {
        t = okl_expm1_f32(2.0f * magnitude);
        t = t / (t + 2.0f);
    } else if (magnitude > 0.0002f) {
        t = okl_expm1_f32(-2.0f * magnitude);
        t = -t / (t + 2.0f);
    }
    return okl_copysign_f32(t, x);
}

fn okl_asinh_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    var t = magnitude;
    if (okl_isnan_f32(x) || okl_isinf_f32(x)) {
        return x;
    }
    if (magnitude >= 4096.0f) {
        t = okl_log_f32(magnitude) + 0.6931472f;
    } else if (magnitude >= 2.0f) {
        t = okl_log_f32(2.0f * magnitude + 1.0f / (sqrt(magnitude * magnitude + 1.0f) + magnitude));
    } else if (magnitude >= 0.00024414062f) {
        t = okl_log1p_f32(magnitude + magnitude * magnitude / (sqrt(magnitude * magnitude + 1.0f) + 1.0f));
    }
    return okl_copysign_f32(t, x);
}

fn okl_acosh_f32(x: f32) -> f32 {
    if (x < 1.0f) {
        return okl_nan_f32();
    }
    if (x < 2.0f) {
        let t = x - 1.0f;
        return okl_log1p_f32(t + sqrt(t * t + 2.0f * t));
    }
    if (x < 4096.0f) {
        return okl_log_f32(2.0f * x - 1.0f / (x + sqrt(x * x - 1.0f)));
    }
    return okl_log_f32(x) + 0.6931472f;
}

fn okl_atanh_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    var t = magnitude;
    if (okl_isnan_f32(x) || magnitude < 1.5258789e-05f) {
        return x;
    }
    if (magnitude >= 1.0f) {
        t = select(okl_nan_f32(), okl_inf_f32(), magnitude == 1.0f);
    } else if (magnitude < 0.5f) {
        t = 0.5f * okl_log1p_f32(2.0f * magnitude + 2.0f * magnitude * magnitude / (1.0f - magnitude));
    } else {
        t = 0.5f * okl_log1p_f32(2.0f * (magnitude / (1.0f - magnitude)));
    }
    return okl_copysign_f32(t, x);
}

fn okl_cbrt_f32(x: f32) -> f32 {
    let is_zero = (bitcast<u32>(x) << 1u) == 0u;
    if (is_zero || okl_isinf_f32(x) || okl_isnan_f32(x)) {
        return x;
    }
    let normal = okl_normal_f32(bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu));
    let exponent = i32(normal.bits >> 23u) - 127 + normal.exponent;
    let third = (exponent + 300) / 3 - 100;
    let rest = exponent - 3 * third;
    let a = bitcast<f32>((normal.bits & 0x007fffffu) | (u32(127 + rest) << 23u));
    var t = bitcast<f32>(bitcast<u32>(a) / 3u + 709958130u);
    // Halley's method, then once more on a value whose square is exact.
    var r = t * t * t;
    t = t * (a + a + r) / (a + r + r);
    t = okl_high_f32(t);
    let s = t * t;
    r = a / s;
    t = t + t * ((r - t) / (t + t + r));
    return okl_copysign_f32(t * okl_power_of_two_f32(third), x);
}

fn okl_hypot_f32(x: f32, y: f32) -> f32 {
    if (okl_isinf_f32(x) || okl_isinf_f32(y)) {
        return okl_inf_f32();
    }
    if (okl_isnan_f32(x) || okl_isnan_f32(y)) {
        return okl_nan_f32();
    }
    let p = bitcast<u32>(x) & 0x7fffffffu;
    let q = bitcast<u32>(y) & 0x7fffffffu;
    let large = max(p, q);
    let small = min(p, q);
    if (small == 0u) {
        return bitcast<f32>(large);
    }
    let normal = okl_normal_f32(bitcast<f32>(large));
    let exponent = i32(normal.bits >> 23u) - 127 + normal.exponent;
    let a = okl_ldexp_f32(bitcast<f32>(large), -exponent);
    let b = okl_ldexp_f32(bitcast<f32>(small), -exponent);
    return okl_ldexp_f32(sqrt(a * a + b * b), exponent);
}

fn okl_fmod_f32(x: f32, y: f32) -> f32 {
    let sign = bitcast<u32>(x) & 0x80000000u;
    let a = bitcast<u32>(x) & 0x7fffffffu;
    let b = bitcast<u32>(y) & 0x7fffffffu;
    if (b == 0u || a >= 0x7f800000u || b > 0x7f800000u) {
        return okl_nan_f32();
    }
    if (a < b) {
        return x;
    }
    let p = okl_normal_f32(bitcast<f32>(a));
    let q = okl_normal_f32(bitcast<f32>(b));
    let divisor = (q.bits & 0x007fffffu) | 0x00800000u;
    let exponent_y = i32(q.bits >> 23u) + q.exponent;
    var steps = i32(p.bits >> 23u) + p.exponent - exponent_y;
    var rest = ((p.bits & 0x007fffffu) | 0x00800000u) % divisor;
    while (steps > 0) {
        // Eight bits at a time: what is shifted stays below 2 to the power 32.
        let bits = min(steps, 8);
        rest = (rest << u32(bits)) % divisor;
        steps -= bits;
    }
    if (rest == 0u) {
        return bitcast<f32>(sign);
    }
    let zeros = countLeadingZeros(rest) - 8u;
    let exponent = exponent_y - i32(zeros);
    if (exponent >= 1) {
        return bitcast<f32>(sign | (u32(exponent) << 23u) | ((rest << zeros) & 0x007fffffu));
    }
    return bitcast<f32>(sign | (rest << u32(exponent_y - 1)));
}

struct okl_angle_single {
    n: u32,
    high: f32,
    low: f32,
}

const okl_two_over_pi_single = array<u32, 7>(0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
    0xfe5163abu);

// The product of two words: low and high word.
fn okl_product_u32(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    let high = (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);
    return vec2<u32>((other << 16u) | (low & 0xffffu), high);
}

// 32 bits of a number of five words, from the bit `at` on.
fn okl_word_single(number: ptr<function, array<u32, 5>>, at: u32) -> u32 {
    let word = at >> 5u;
    let shift = at & 31u;
    let low = (*number)[min(word, 4u)];
    if (shift == 0u) {
        return low;
    }
    let high = select(0u, (*number)[min(word + 1u, 4u)], word < 4u);
    return (low >> shift) | (high << (32u - shift));
}

// x * 2 / pi modulo 4: the quadrant, and 64 bits of the fraction.
struct okl_turns_single {
    quadrant: u32,
    top: u32,
    next: u32,
}

// Of a number of 32 bits, 24 of them behind the point.
fn okl_turns_of_small(number: u32) -> okl_turns_single {
    let low = okl_product_u32(number, okl_two_over_pi_single[2]);
    let middle = okl_product_u32(number, okl_two_over_pi_single[1]);
    let high = okl_product_u32(number, okl_two_over_pi_single[0]);
    let third = low.y + middle.x;
    let carried = middle.y + select(0u, 1u, third < middle.x);
    let second = carried + high.x;
    let first = high.y + select(0u, 1u, second < high.x);
    return okl_turns_single(first >> 24u, (first << 8u) | (second >> 24u), (second << 8u) | (third >> 24u));
}

// Of any number: the bits that are multiples of 4 are never computed (Payne and Hanek).
fn okl_turns_of(mantissa: u32, exponent: i32) -> okl_turns_single {
    let first = max(exponent - 2, 0) / 32;
    var product: array<u32, 5>;
    var carry = 0u;
    for (var k = 0; k < 4; k++) {
        let part = okl_product_u32(mantissa, okl_two_over_pi_single[first + 3 - k]);
        let sum = part.x + carry;
        product[k] = sum;
        carry = part.y + select(0u, 1u, sum < carry);
    }
    product[4] = carry;
    let fraction_bits = u32(32 * (first + 4) - exponent);
    return okl_turns_single(
        okl_word_single(&product, fraction_bits),
        okl_word_single(&product, fraction_bits - 32u),
        okl_word_single(&product, fraction_bits - 64u),
    );
}

// By integers: of at least pi / 4, how many quarters of a turn, and what is left.
fn okl_reduce_f32(x: f32) -> okl_angle_single {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    let mantissa = (bits & 0x007fffffu) | 0x00800000u;
    let exponent = i32(bits >> 23u) - 150;
    var turns: okl_turns_single;
    if (exponent <= -16) {
        turns = okl_turns_of_small(mantissa << u32(exponent + 24));
    } else {
        turns = okl_turns_of(mantissa, exponent);
    }
    var quadrant = turns.quadrant & 3u;
    var top = turns.top;
    var next = turns.next;
    let is_upper = (top >> 31u) == 1u;
    if (is_upper) {
        quadrant += 1u;
        next = ~next + 1u;
        top = ~top + select(0u, 1u, next == 0u);
    }
    var scale = 0;
    if (top == 0u) {
        top = next;
        next = 0u;
        scale = 32;
    }
    let zeros = countLeadingZeros(top);
    if (zeros > 0u && zeros < 32u) {
        top = (top << zeros) | (next >> (32u - zeros));
        next = next << zeros;
    }
    scale += i32(zeros);
    // The fraction as the sum of two numbers, times pi / 2 in parts of which the first product is exact.
    let f_high = f32(top >> 8u) * okl_power_of_two_f32(-24 - scale);
    let f_low = f32(((top & 0xffu) << 16u) | (next >> 16u)) * okl_power_of_two_f32(-48 - scale);
    let f_first = okl_high_f32(f_high);
    let product_first = f_first * 1.5703125f;
    let product_rest = f_first * 4.8382679e-4f + ((f_high - f_first) * 1.5707963f + f_low * 1.5707963f);
    let sum = product_first + product_rest;
    let tail = product_rest - (sum - product_first);
    let is_negative = (bitcast<u32>(x) >> 31u) == 1u;
    if (is_negative) {
        quadrant = 0u - quadrant;
    }
    let flips = is_negative != is_upper;
    return okl_angle_single(quadrant & 3u, select(sum, -sum, flips), select(tail, -tail, flips));
}

// The sine of high + low, for at most pi / 4.
fn okl_sin_part_f32(x: f32, low: f32) -> f32 {
    let z = x * x;
    let w = z * z;
    let r = 0.008333334f + z * (-0.0001984127f + z * 2.7557314e-06f)
        + z * w * (-2.505076e-08f + z * 1.589691e-10f);
    let v = z * x;
    return x - ((z * (0.5f * low - v * r) - low) - v * -0.16666667f);
}

// The cosine of high + low, for at most pi / 4.
fn okl_cos_part_f32(x: f32, low: f32) -> f32 {
    let z = x * x;
    let w = z * z;
    let r = z * (0.041666668f + z * (-0.0013888889f + z * 2.4801588e-05f))
        + w * w * (-2.7557314e-07f + z * (2.0875723e-09f + z * -1.1359648e-11f));
    let half = 0.5f * z;
    let t = 1.0f - half;
    return t + (((1.0f - t) - half) + (z * r - x * low));
}

fn okl_sin_f32(x: f32) -> f32 {
    if (!okl_isfinite_f32(x)) {
        return okl_nan_f32();
    }
    if (abs(x) < 0.00024414062f) {
        return x;
    }
    if (abs(x) < 0.7853982f) {
        return okl_sin_part_f32(x, 0.0f);
    }
    let angle = okl_reduce_f32(x);
    var value = 0.0f;
    if ((angle.n & 1u) == 0u) {
        value = okl_sin_part_f32(angle.high, angle.low);
    } else {
        value = okl_cos_part_f32(angle.high, angle.low);
    }
    return select(value, -value, angle.n >= 2u);
}

fn okl_cos_f32(x: f32) -> f32 {
    if (!okl_isfinite_f32(x)) {
        return okl_nan_f32();
    }
    if (abs(x) < 0.7853982f) {
        return okl_cos_part_f32(x, 0.0f);
    }
    let angle = okl_reduce_f32(x);
    var value = 0.0f;
    if ((angle.n & 1u) == 0u) {
        value = okl_cos_part_f32(angle.high, angle.low);
    } else {
        value = okl_sin_part_f32(angle.high, angle.low);
    }
    return select(value, -value, angle.n == 1u || angle.n == 2u);
}

// The tangent of high + low, or minus its inverse, for at most pi / 4.
fn okl_tan_part_f32(given: f32, given_low: f32, inverse: bool) -> f32 {
    var x = given;
    var low = given_low;
    let is_large = abs(x) >= 0.6744f;
    if (is_large) {
        if (given < 0.0f) {
            x = -x;
            low = -low;
        }
        x = (0.7853982f - x) + (3.061617e-17f - low);
        low = 0.0f;
    }
    let z = x * x;
    let w = z * z;
    var r = 0.13333334f + w * (0.021869488f + w * (0.003592079f
        + w * (0.00058804126f + w * (7.8179444e-05f + w * -1.8558638e-05f))));
    let v = z * (0.053968254f + w * (0.00886324f + w * (0.0014562095f
        + w * (0.00024646314f + w * (7.140725e-05f + w * 2.5907306e-05f)))));
    let s = z * x;
    r = low + z * (s * (r + v) + low) + s * 0.33333334f;
    let sum = x + r;
    if (is_large) {
        let t = select(1.0f, -1.0f, inverse);
        let value = t - 2.0f * (x + (r - sum * sum / (sum + t)));
        return select(value, -value, given < 0.0f);
    }
    if (!inverse) {
        return sum;
    }
    let high = okl_high_f32(sum);
    let rest = r - (high - x);
    let quotient = -1.0f / sum;
    let quotient_high = okl_high_f32(quotient);
    return quotient_high + quotient * (1.0f + quotient_high * high + quotient_high * rest);
}

fn okl_tan_f32(x: f32) -> f32 {
    if (!okl_isfinite_f32(x)) {
        return okl_nan_f32();
    }
    if (abs(x) < 0.00012207031f) {
        return x;
    }
    if (abs(x) < 0.7853982f) {
        return okl_tan_part_f32(x, 0.0f, false);
    }
    let angle = okl_reduce_f32(x);
    return okl_tan_part_f32(angle.high, angle.low, (angle.n & 1u) == 1u);
}

fn okl_asin_rest_f32(z: f32) -> f32 {
    let p = z * (1.6666586697e-01f + z * (-4.2743422091e-02f + z * -8.6563630030e-03f));
    return p / (1.0f + z * -7.0662963390e-01f);
}

fn okl_asin_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (okl_isnan_f32(x) || magnitude < 0.00024414062f) {
        return x;
    }
    if (magnitude > 1.0f) {
        return okl_nan_f32();
    }
    if (magnitude < 0.5f) {
        return x + x * okl_asin_rest_f32(x * x);
    }
    let z = (1.0f - magnitude) * 0.5f;
    let s = sqrt(z);
    let r = okl_asin_rest_f32(z);
    if (magnitude > 0.975f) {
        let value = 1.5707963f - (2.0f * (s + s * r) - 7.5497894e-08f);
        return select(value, -value, x < 0.0f);
    }
    let f = okl_high_f32(s);
    let c = (z - f * f) / (s + f);
    let value = 0.7853981f - (2.0f * s * r - (7.5497894e-08f - 2.0f * c)
        - (0.7853981f - 2.0f * f));
    return select(value, -value, x < 0.0f);
}

fn okl_acos_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (magnitude >= 1.0f) {
        return select(okl_nan_f32(), select(3.1415927f, 0.0f, x > 0.0f), magnitude == 1.0f);
    }
    if (magnitude < 0.5f) {
        return 1.5707963f - (x - (7.5497894e-08f - x * okl_asin_rest_f32(x * x)));
    }
    let z = (1.0f - magnitude) * 0.5f;
    let s = sqrt(z);
    let r = okl_asin_rest_f32(z);
    if (x < 0.0f) {
        let w = r * s - 7.5497894e-08f;
        return 2.0f * (1.5707963f - (s + w));
    }
    let f = okl_high_f32(s);
    let c = (z - f * f) / (s + f);
    return 2.0f * (f + (r * s + c));
}

fn okl_atan_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (okl_isnan_f32(x) || magnitude < 0.00024414062f) {
        return x;
    }
    if (magnitude >= 67108864.0f) {
        return okl_copysign_f32(1.5707963f, x);
    }
    var t = magnitude;
    var high = 0.0f;
    var low = 0.0f;
    if (magnitude >= 2.4375f) {
        t = -1.0f / magnitude;
        high = 1.5707963f;
        low = 7.5497894e-08f;
    } else if (magnitude >= 1.1875f) {
        t = (magnitude - 1.5f) / (1.0f + 1.5f * magnitude);
        high = 0.9827937f;
        low = 3.4473217e-08f;
    } else if (magnitude >= 0.6875f) {
        t = (magnitude - 1.0f) / (magnitude + 1.0f);
        high = 0.7853981f;
        low = 3.7748947e-08f;
    } else if (magnitude >= 0.4375f) {
        t = (2.0f * magnitude - 1.0f) / (2.0f + magnitude);
        high = 0.4636476f;
        low = 5.0121582e-09f;
    }
    let z = t * t;
    let w = z * z;
    let odd = z * (0.33333328f + w * (0.14253636f + w * 0.061687607f));
    let even = w * (-0.19999158f + w * -0.106480174f);
    let value = high - ((t * (odd + even) - low) - t);
    return okl_copysign_f32(value, x);
}

fn okl_atan2_f32(y: f32, x: f32) -> f32 {
    if (okl_isnan_f32(x) || okl_isnan_f32(y)) {
        return okl_nan_f32();
    }
    let pi = 3.1415927f;
    let left = (bitcast<u32>(x) >> 31u) == 1u;
    let a = okl_magnitude_f32(y);
    let b = okl_magnitude_f32(x);
    let y_zero = (bitcast<u32>(y) << 1u) == 0u;
    let x_zero = (bitcast<u32>(x) << 1u) == 0u;
    var value = 0.0f;
    if (y_zero) {
        value = select(0.0f, pi, left);
    } else if (x_zero) {
        value = 0.5f * pi;
    } else if (okl_isinf_f32(x)) {
        if (okl_isinf_f32(y)) {
            value = select(0.25f * pi, 0.75f * pi, left);
        } else {
            value = select(0.0f, pi, left);
        }
    } else {
        let difference = i32(bitcast<u32>(a) >> 23u) - i32(bitcast<u32>(b) >> 23u);
        if (difference > 26 || okl_isinf_f32(y)) {
            value = 0.5f * pi;
        } else {
            // A quotient too small to be added to pi is not computed, and one that is subnormal is rounded once.
            var angle = 0.0f;
            if (!(left && difference < -26)) {
                angle = okl_atan_f32(okl_quotient_f32(a, b));
            }
            value = select(angle, pi - (angle - -8.742278e-08f), left);
        }
    }
    return okl_copysign_f32(value, y);
}

fn okl_quotient_f32(a: f32, b: f32) -> f32 {
    let p = okl_normal_f32(a);
    let q = okl_normal_f32(b);
    let mantissa_a = bitcast<f32>((p.bits & 0x007fffffu) | 0x3f800000u);
    let mantissa_b = bitcast<f32>((q.bits & 0x007fffffu) | 0x3f800000u);
    let exponent = i32(p.bits >> 23u) + p.exponent - i32(q.bits >> 23u) - q.exponent;
    return okl_ldexp_f32(mantissa_a / mantissa_b, exponent);
}

// 1 - erf(x) for 0.84375 <= x < 28, times 2 to the power n.
fn okl_erfc_part_f32(x: f32, n: i32) -> f32 {
    if (x < 1.25f) {
        let s = x - 1.0f;
        let p = -0.0023621186f + s * (0.4148561f + s * (-0.37220788f
            + s * (0.31834662f + s * (-0.110894695f + s * (0.035478305f
            + s * -0.0021663755f)))));
        let q = 1.0f + s * (0.10642088f + s * (0.54039794f
            + s * (0.071828656f + s * (0.12617122f + s * (0.013637084f
            + s * 0.0119845f)))));
        return okl_ldexp_f32(1.0f - 0.8450629f - p / q, n);
    }
    let s = 1.0f / (x * x);
    var r = 0.0f;
    var t = 1.0f;
    if (x < 2.857143f) {
        r = -0.009864944f + s * (-0.69385856f + s * (-10.558626f
            + s * (-62.37533f + s * (-162.39667f + s * (-184.60509f
            + s * (-81.28744f + s * -9.814329f))))));
        t = 1.0f + s * (19.651272f + s * (137.65776f
            + s * (434.5659f + s * (645.38727f + s * (429.00815f
            + s * (108.635f + s * (6.5702496f + s * -0.060424414f)))))));
    } else {
        r = -0.009864943f + s * (-0.79928327f + s * (-17.757956f
            + s * (-160.63638f + s * (-637.56647f + s * (-1025.0951f
            + s * -483.5192f)))));
        t = 1.0f + s * (30.33806f + s * (325.7925f
            + s * (1536.7296f + s * (3199.8582f + s * (2553.0503f
            + s * (474.52853f + s * -22.440952f))))));
    }
    let z = okl_high_f32(x);
    // Computed far above the subnormal numbers, and rounded to them once.
    let upper = okl_exp_scaled_f32(-z * z - 0.5625f, 60);
    return okl_ldexp_f32(upper * okl_exp_f32((z - x) * (z + x) + r / t) / x, n - 60);
}

// erf(x) / x - 1 for |x| < 0.84375, from the square of x.
fn okl_erf_rest_f32(z: f32) -> f32 {
    let r = 0.12837917f + z * (-0.3250421f + z * (-0.02848175f
        + z * (-0.0057702702f + z * -2.3763017e-05f)));
    let s = 1.0f + z * (0.3979172f + z * (0.06502225f
        + z * (0.005081306f + z * (0.00013249474f + z * -3.9602282e-06f))));
    return r / s;
}

fn okl_erf_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (magnitude < 3.7e-05f) {
        // Products far above the subnormal numbers, and rounded to them once.
        let scaled = okl_ldexp_f32(x, 30);
        return okl_ldexp_f32(scaled + scaled * 0.12837917f, -30);
    }
    if (magnitude < 0.84375f) {
        return x + x * okl_erf_rest_f32(x * x);
    }
    if (magnitude < 4.0f) {
        return okl_copysign_f32(1.0f - okl_erfc_part_f32(magnitude, 0), x);
    }
    return okl_copysign_f32(1.0f, x);
}

fn okl_erfc_f32(x: f32) -> f32 {
    let magnitude = abs(x);
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (magnitude < 2e-08f) {
        return 1.0f;
    }
    if (magnitude < 0.84375f) {
        let y = okl_erf_rest_f32(x * x);
        if (x < 0.25f) {
            return 1.0f - (x + x * y);
        }
        return 0.5f - (x - 0.5f + x * y);
    }
    if (magnitude >= 12.0f) {
        return select(0.0f, 2.0f, x < 0.0f);
    }
    let value = okl_erfc_part_f32(magnitude, 0);
    return select(value, 2.0f - value, x < 0.0f);
}

// The sine of pi * x.
fn okl_sinpi_f32(x: f32) -> f32 {
    let half = 0.5f * x;
    let turned = 2.0f * (half - floor(half));
    let n = (i32(4.0f * turned) + 1) / 2;
    let angle = (turned - f32(n) * 0.5f) * 3.1415927f;
    var value = 0.0f;
    if ((n & 1) == 1) {
        value = okl_cos_part_f32(angle, 0.0f);
    } else {
        value = okl_sin_part_f32(angle, 0.0f);
    }
    return select(value, -value, n == 2 || n == 3);
}

// The logarithm of |gamma(x)| for x > 0.
fn okl_lgamma_positive_f32(x: f32) -> f32 {
    if (x == 1.0f || x == 2.0f) {
        return 0.0f;
    }
    if (x < 2.0f) {
        var r = 0.0f;
        var y = 0.0f;
        var which = 0;
        if (x <= 0.8999996f) {
            r = -okl_log_f32(x);
            if (x >= 0.7315998f) {
                y = 1.0f - x;
            } else if (x >= 0.23163998f) {
                y = x - 0.46163213f;
                which = 1;
            } else {
                y = x;
                which = 2;
            }
        } else if (x >= 1.7316313f) {
            y = 2.0f - x;
        } else if (x >= 1.2316322f) {
            y = x - 1.4616321f;
            which = 1;
        } else {
            y = x - 1.0f;
            which = 2;
        }
        let z = y * y;
        if (which == 0) {
            let even = 0.077215664f + z * (0.0673523f + z * (0.007385551f
                + z * (0.0011927077f + z * (0.00022086278f + z * 2.5214456e-05f))));
            let odd = z * (0.32246703f + z * (0.020580808f + z * (0.0028905137f
                + z * (0.0005100698f + z * (0.00010801157f + z * 4.4864097e-05f)))));
            return r + ((y * even + odd) - 0.5f * y);
        }
        if (which == 1) {
            let w = z * y;
            let p = 0.4838361f + w * (-0.03278854f + w * (0.0061005387f
                + w * (-0.0014034647f + w * 0.00031563206f)));
            let q = -0.14758772f + w * (0.017970676f + w * (-0.0036845203f
                + w * (0.00088108185f + w * -0.00031275416f)));
            let s = 0.06462494f + w * (-0.010314224f + w * (0.0022596477f
                + w * (-0.0005385953f + w * 0.00033552918f)));
            let t = z * p - (6.6971007e-09f - w * (q + y * s));
            return r + (-0.12148629f + t);
        }
        let p = y * (-0.077215664f + y * (0.63282704f + y * (1.4549226f
            + y * (0.9777175f + y * (0.22896373f + y * 0.013381092f)))));
        let q = 1.0f + y * (2.455978f + y * (2.1284897f
            + y * (0.76928514f + y * (0.10422265f + y * 0.0032170925f))));
        return r + (-0.5f * y + p / q);
    }
    if (x < 8.0f) {
        let i = i32(x);
        let y = x - f32(i);
        let p = y * (-0.077215664f + y * (0.21498242f + y * (0.32577878f
            + y * (0.14635047f + y * (0.02664227f + y * (0.0018402846f
            + y * 3.1947533e-05f))))));
        let q = 1.0f + y * (1.3920053f + y * (0.7219356f
            + y * (0.17193386f + y * (0.01864592f + y * (0.0007779425f
            + y * 7.326684e-06f)))));
        let r = 0.5f * y + p / q;
        if (i < 3) {
            return r;
        }
        var product = 1.0f;
        for (var k = i - 1; k >= 2; k--) {
            product *= y + f32(k);
        }
        return r + okl_log_f32(product);
    }
    if (x < 2.8823038e+17f) {
        let t = okl_log_f32(x);
        let z = 1.0f / x;
        let y = z * z;
        let w = 0.41893855f + z * (0.083333336f + y * (-0.0027777778f
            + y * (0.0007936506f + y * (-0.00059518754f + y * (0.0008363399f
            + y * -0.0016309293f)))));
        return (x - 0.5f) * (t - 1.0f) + w;
    }
    return x * (okl_log_f32(x) - 1.0f);
}

fn okl_lgamma_f32(x: f32) -> f32 {
    if (okl_isnan_f32(x)) {
        return x;
    }
    if (okl_isinf_f32(x)) {
        return okl_inf_f32();
    }
    let magnitude = abs(x);
    if (magnitude < 1e-09f) {
        return -okl_log_f32(bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu));
    }
    if (x > 0.0f) {
        return okl_lgamma_positive_f32(x);
    }
    let t = abs(okl_sinpi_f32(magnitude));
    if (t == 0.0f) {
        return okl_inf_f32();
    }
    return okl_log_f32(3.1415927f / (t * magnitude)) - okl_lgamma_positive_f32(magnitude);
}

// The two polynomials of Lanczos' approximation, one over the other.
fn okl_lanczos_f32(x: f32) -> f32 {
    let above = array<f32, 13>(2.3531377e+10f,
        4.2919805e+10f, 3.571196e+10f,
        1.7921034e+10f, 6.039543e+09f,
        1.4397204e+09f, 2.4887456e+08f,
        31426416.0f, 2876370.8f,
        186056.27f, 8071.672f,
        210.82428f, 2.5066283f);
    let below = array<f32, 13>(0.0f, 3.99168e+07f, 1.2054384e+08f, 1.5091798e+08f, 1.0525808e+08f, 4.599573e+07f,
        13339535.0f, 2637558.0f, 357423.0f, 3.267e+04f, 1925.0f, 66.0f, 1.0f);
    var p = 0.0f;
    var q = 0.0f;
    for (var k = 0; k < 13; k++) {
        // Large arguments would overflow.
        if (x < 8.0f) {
            p = p * x + above[12 - k];
            q = q * x + below[12 - k];
        } else {
            p = p / x + above[k];
            q = q / x + below[k];
        }
    }
    return p / q;
}

fn okl_tgamma_f32(x: f32) -> f32 {
    if (okl_isnan_f32(x)) {
        return x;
    }
    let magnitude = abs(x);
    if (okl_isinf_f32(x)) {
        return select(okl_nan_f32(), x, x > 0.0f);
    }
    if (magnitude < 2e-08f) {
        if (magnitude < 2.94e-39f) {
            return okl_copysign_f32(okl_inf_f32(), x);
        }
        return 1.0f / x;
    }
    if (floor(x) == x) {
        if (x < 0.0f) {
            return okl_nan_f32();
        }
        if (x <= 13.0f) {
            var product = 1.0f;
            for (var k = 2; k < i32(x); k++) {
                product *= f32(k);
            }
            return product;
        }
    }
    if (x > 35.5f) {
        return okl_inf_f32();
    }
    if (x < -46.0f) {
        return select(-0.0f, 0.0f, floor(x) * 0.5f == floor(x * 0.5f));
    }
    let y = magnitude + 5.52468f;
    var lost = 0.0f;
    if (magnitude > 5.52468f) {
        lost = (y - magnitude) - 5.52468f;
    } else {
        lost = (y - 5.52468f) - magnitude;
    }
    var z = magnitude - 0.5f;
    var r = okl_lanczos_f32(magnitude) * okl_exp_f32(-y);
    if (x < 0.0f) {
        r = -3.1415927f / (okl_sinpi_f32(magnitude) * magnitude * r);
        lost = -lost;
        z = -z;
    }
    r += lost * (5.52468f + 0.5f) * r / y;
    z = okl_pow_f32(y, 0.5f * z);
    return r * z * z;
}
