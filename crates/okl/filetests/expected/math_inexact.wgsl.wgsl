// WGSL, made from OKL.
// @kernel one_each: one_each_0
// @kernel single: single_0

struct Args {
    x: f64,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x: f32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> out: array<f64>;
@group(0) @binding(1) var<storage, read_write> out_1: array<f32>;

// Infinities and NaNs: WGSL has no constants for them, and a compiler that evaluates one stops.
var<private> okl_infinity_bits: u32 = 0x7f800000u;

var<private> okl_nan_bits: u32 = 0x7fc00000u;

fn okl_inf_f32() -> f32 {
    return bitcast<f32>(okl_infinity_bits);
}

fn okl_nan_f32() -> f32 {
    return bitcast<f32>(okl_nan_bits);
}

fn okl_inf_f64() -> f64 {
    return f64(bitcast<f32>(okl_infinity_bits));
}

fn okl_nan_f64() -> f64 {
    return f64(bitcast<f32>(okl_nan_bits));
}

// By their bits: a driver may take for granted that there are neither NaNs nor infinities.
fn okl_isnan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn okl_isinf_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}

fn okl_isfinite_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u;
}

fn okl_isnan_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn okl_isinf_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) == 0x7ff0000000000000lu;
}

fn okl_isfinite_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) < 0x7ff0000000000000lu;
}

fn okl_copysign_f32(x: f32, y: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}

fn okl_copysign_f64(x: f64, y: f64) -> f64 {
    return bitcast<f64>((bitcast<u64>(x) & 0x7ffffffffffffffflu) | (bitcast<u64>(y) & 0x8000000000000000lu));
}

fn okl_rsqrt_f32(x: f32) -> f32 {
    return 1.0f / sqrt(x);
}

fn okl_rsqrt_f64(x: f64) -> f64 {
    return 1.0lf / sqrt(x);
}

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

// x = n * pi / 2 + high + low
struct okl_angle {
    n: u32,
    high: f64,
    low: f64,
}

// 2 / pi, the first 1216 bits behind the point.
const okl_two_over_pi = array<u32, 38>(
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu
);

// By integers: x * 2 / pi modulo 4, of which the bits that are multiples of 4 are never computed (Payne and Hanek).
fn okl_reduce_large_f64(x: f64) -> okl_angle {
    let bits = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    let mantissa = (bits & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    // |x| is the mantissa times 2 to this power.
    let exponent = i32(u32(bits >> 52u)) - 1075;
    let first = max(exponent - 2, 0) / 32;
    // The product of the mantissa and eight words of 2 / pi, least word first.
    var product: array<u32, 10>;
    for (var j = 0; j < 2; j++) {
        let word = (mantissa >> (32u * u32(j))) & 0xfffffffflu;
        var carry = 0lu;
        for (var k = 0; k < 8; k++) {
            let sum = word * u64(okl_two_over_pi[first + 7 - k]) + u64(product[j + k]) + carry;
            product[j + k] = u32(sum);
            carry = sum >> 32u;
        }
        product[j + 8] = u32(carry);
    }
    // Bits of the product behind the point.
    let fraction_bits = u32(32 * (first + 8) - exponent);
    let n = okl_word_at(&product, fraction_bits) & 3u;
    var top = (u64(okl_word_at(&product, fraction_bits - 32u)) << 32u) | u64(okl_word_at(&product, fraction_bits - 64u));
    var next = (u64(okl_word_at(&product, fraction_bits - 96u)) << 32u) | u64(okl_word_at(&product, fraction_bits - 128u));
    var quadrant = n;
    let is_upper = (top >> 63u) == 1lu;
    if (is_upper) {
        // The nearer multiple lies above.
        quadrant += 1u;
        next = ~next + 1lu;
        top = ~top + select(0lu, 1lu, next == 0lu);
    }
    var scale = 0;
    if (top == 0lu) {
        top = next;
        next = 0lu;
        scale = 64;
    }
    let high = u32(top >> 32u);
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(u32(top)), high == 0u);
    if (zeros > 0u) {
        top = (top << zeros) | (next >> (64u - zeros));
        next = next << zeros;
    }
    scale += i32(zeros);
    // The fraction as the sum of two numbers.
    let f_high = f64(top >> 11u) * okl_power_of_two_f64(-53 - scale);
    let rest = ((top & 0x7fflu) << 42u) | (next >> 22u);
    let f_low = f64(rest) * okl_power_of_two_f64(-106 - scale);
    let y = f_high * 1.5707963267948966lf;
    let lost = fma(f_high, 1.5707963267948966lf, -y) + (f_high * 6.123233995736766e-17lf + f_low * 1.5707963267948966lf);
    let sum = y + lost;
    let tail = lost - (sum - y);
    let negative = ((bitcast<u64>(x) >> 63u) == 1lu) != is_upper;
    if ((bitcast<u64>(x) >> 63u) == 1lu) {
        quadrant = 0u - quadrant;
    }
    return okl_angle(quadrant & 3u, select(sum, -sum, negative), select(tail, -tail, negative));
}

// 32 bits of a long number, from the bit `at` on.
fn okl_word_at(number: ptr<function, array<u32, 10>>, at: u32) -> u32 {
    let word = at >> 5u;
    let shift = at & 31u;
    let low = (*number)[min(word, 9u)];
    let high = (*number)[min(word + 1u, 9u)];
    if (shift == 0u) {
        return low;
    }
    return (low >> shift) | (high << (32u - shift));
}

fn okl_reduce_f64(x: f64) -> okl_angle {
    let word = u32(bitcast<u64>(x) >> 32u) & 0x7fffffffu;
    if (word >= 0x413921fbu) {
        return okl_reduce_large_f64(x);
    }
    let k = round(x * 6.36619772367581382433e-01lf);
    let n = u32(i32(k)) & 3u;
    let exponent = i32(word >> 20u);
    var r = x - k * 1.57079632673412561417e+00lf;
    var w = k * 6.07710050650619224932e-11lf;
    var high = r - w;
    // Where the difference cancels, further bits of pi are needed.
    if (exponent - i32((u32(bitcast<u64>(high) >> 52u)) & 0x7ffu) > 16) {
        var t = r;
        w = k * 6.07710050630396597660e-11lf;
        r = t - w;
        w = k * 2.02226624879595063154e-21lf - ((t - r) - w);
        high = r - w;
        if (exponent - i32((u32(bitcast<u64>(high) >> 52u)) & 0x7ffu) > 49) {
            t = r;
            w = k * 2.02226624871116645580e-21lf;
            r = t - w;
            w = k * 8.47842766036889956997e-32lf - ((t - r) - w);
            high = r - w;
        }
    }
    return okl_angle(n, high, (r - high) - w);
}

// The sine of high + low, for at most pi / 4.
fn okl_sin_part_f64(x: f64, low: f64) -> f64 {
    let z = x * x;
    let w = z * z;
    let r = 8.33333333332248946124e-03lf + z * (-1.98412698298579493134e-04lf + z * 2.75573137070700676789e-06lf)
        + z * w * (-2.50507602534068634195e-08lf + z * 1.58969099521155010221e-10lf);
    let v = z * x;
    return x - ((z * (0.5lf * low - v * r) - low) - v * -1.66666666666666324348e-01lf);
}

// The cosine of high + low, for at most pi / 4.
fn okl_cos_part_f64(x: f64, low: f64) -> f64 {
    let z = x * x;
    let w = z * z;
    let r = z * (4.16666666666666019037e-02lf + z * (-1.38888888888741095749e-03lf + z * 2.48015872894767294178e-05lf))
        + w * w * (-2.75573143513906633035e-07lf + z * (2.08757232129817482790e-09lf + z * -1.13596475577881948265e-11lf));
    let half = 0.5lf * z;
    let t = 1.0lf - half;
    return t + (((1.0lf - t) - half) + (z * r - x * low));
}

fn okl_sin_f64(x: f64) -> f64 {
    if (!okl_isfinite_f64(x)) {
        return okl_nan_f64();
    }
    if (abs(x) < 1.4901161193847656e-8lf) {
        return x;
    }
    if (abs(x) < 0.7853981633974483lf) {
        return okl_sin_part_f64(x, 0.0lf);
    }
    let angle = okl_reduce_f64(x);
    var value = 0.0lf;
    if ((angle.n & 1u) == 0u) {
        value = okl_sin_part_f64(angle.high, angle.low);
    } else {
        value = okl_cos_part_f64(angle.high, angle.low);
    }
    return select(value, -value, angle.n >= 2u);
}

fn okl_cos_f64(x: f64) -> f64 {
    if (!okl_isfinite_f64(x)) {
        return okl_nan_f64();
    }
    if (abs(x) < 0.7853981633974483lf) {
        return okl_cos_part_f64(x, 0.0lf);
    }
    let angle = okl_reduce_f64(x);
    var value = 0.0lf;
    if ((angle.n & 1u) == 0u) {
        value = okl_cos_part_f64(angle.high, angle.low);
    } else {
        value = okl_sin_part_f64(angle.high, angle.low);
    }
    return select(value, -value, angle.n == 1u || angle.n == 2u);
}

// The tangent of high + low, or minus its inverse, for at most pi / 4.
fn okl_tan_part_f64(given: f64, given_low: f64, inverse: bool) -> f64 {
    var x = given;
    var low = given_low;
    let is_large = abs(x) >= 0.6744lf;
    if (is_large) {
        if (given < 0.0lf) {
            x = -x;
            low = -low;
        }
        x = (7.85398163397448278999e-01lf - x) + (3.06161699786838301793e-17lf - low);
        low = 0.0lf;
    }
    let z = x * x;
    let w = z * z;
    var r = 1.33333333333201242699e-01lf + w * (2.18694882948595424599e-02lf + w * (3.59207910759131235356e-03lf
        + w * (5.88041240820264096874e-04lf + w * (7.81794442939557092300e-05lf + w * -1.85586374855275456654e-05lf))));
    let v = z * (5.39682539762260521377e-02lf + w * (8.86323982359930005737e-03lf + w * (1.45620945432529025516e-03lf
        + w * (2.46463134818469906812e-04lf + w * (7.14072491382608190305e-05lf + w * 2.59073051863633712884e-05lf)))));
    let s = z * x;
    r = low + z * (s * (r + v) + low) + s * 3.33333333333334091986e-01lf;
    let sum = x + r;
    if (is_large) {
        let t = select(1.0lf, -1.0lf, inverse);
        let value = t - 2.0lf * (x + (r - sum * sum / (sum + t)));
        return select(value, -value, given < 0.0lf);
    }
    if (!inverse) {
        return sum;
    }
    let high = okl_high_f64(sum);
    let rest = r - (high - x);
    let quotient = -1.0lf / sum;
    let quotient_high = okl_high_f64(quotient);
    return quotient_high + quotient * (1.0lf + quotient_high * high + quotient_high * rest);
}

fn okl_tan_f64(x: f64) -> f64 {
    if (!okl_isfinite_f64(x)) {
        return okl_nan_f64();
    }
    if (abs(x) < 7.450580596923828e-9lf) {
        return x;
    }
    if (abs(x) < 0.7853981633974483lf) {
        return okl_tan_part_f64(x, 0.0lf, false);
    }
    let angle = okl_reduce_f64(x);
    return okl_tan_part_f64(angle.high, angle.low, (angle.n & 1u) == 1u);
}

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

// 1 - erf(x) for 0.84375 <= x < 28, times 2 to the power n.
fn okl_erfc_part_f64(x: f64, n: i32) -> f64 {
    if (x < 1.25lf) {
        let s = x - 1.0lf;
        let p = -2.36211856075265944077e-03lf + s * (4.14856118683748331666e-01lf + s * (-3.72207876035701323847e-01lf
            + s * (3.18346619901161753674e-01lf + s * (-1.10894694282396677476e-01lf + s * (3.54783043256182359371e-02lf
            + s * -2.16637559486879084300e-03lf)))));
        let q = 1.0lf + s * (1.06420880400844228286e-01lf + s * (5.40397917702171048937e-01lf
            + s * (7.18286544141962662868e-02lf + s * (1.26171219808761642112e-01lf + s * (1.36370839120290507362e-02lf
            + s * 1.19844998467991074170e-02lf)))));
        return okl_ldexp_f64(1.0lf - 8.45062911510467529297e-01lf - p / q, n);
    }
    let s = 1.0lf / (x * x);
    var r = 0.0lf;
    var t = 1.0lf;
    if (x < 2.857142857142857lf) {
        r = -9.86494403484714822705e-03lf + s * (-6.93858572707181764372e-01lf + s * (-1.05586262253232909814e+01lf
            + s * (-6.23753324503260060396e+01lf + s * (-1.62396669462573470355e+02lf + s * (-1.84605092906711035994e+02lf
            + s * (-8.12874355063065934246e+01lf + s * -9.81432934416914548592e+00lf))))));
        t = 1.0lf + s * (1.96512716674392571292e+01lf + s * (1.37657754143519042600e+02lf
            + s * (4.34565877475229228821e+02lf + s * (6.45387271733267880336e+02lf + s * (4.29008140027567833386e+02lf
            + s * (1.08635005541779435134e+02lf + s * (6.57024977031928170135e+00lf + s * -6.04244152148580987438e-02lf)))))));
    } else {
        r = -9.86494292470009928597e-03lf + s * (-7.99283237680523006574e-01lf + s * (-1.77579549177547519889e+01lf
            + s * (-1.60636384855821916062e+02lf + s * (-6.37566443368389627722e+02lf + s * (-1.02509513161107724954e+03lf
            + s * -4.83519191608651397019e+02lf)))));
        t = 1.0lf + s * (3.03380607434824582924e+01lf + s * (3.25792512996573918826e+02lf
            + s * (1.53672958608443695994e+03lf + s * (3.19985821950859553908e+03lf + s * (2.55305040643316442583e+03lf
            + s * (4.74528541206955367215e+02lf + s * -2.24409524465858183362e+01lf))))));
    }
    let z = okl_high_f64(x);
    // Computed far above the subnormal numbers, and rounded to them once.
    let upper = okl_exp_scaled_f64(-z * z - 0.5625lf, 600);
    return okl_ldexp_f64(upper * okl_exp_f64((z - x) * (z + x) + r / t) / x, n - 600);
}

// erf(x) / x - 1 for |x| < 0.84375, from the square of x.
fn okl_erf_rest_f64(z: f64) -> f64 {
    let r = 1.28379167095512558561e-01lf + z * (-3.25042107247001499370e-01lf + z * (-2.84817495755985104766e-02lf
        + z * (-5.77027029648944159157e-03lf + z * -2.37630166566501626084e-05lf)));
    let s = 1.0lf + z * (3.97917223959155352819e-01lf + z * (6.50222499887672944485e-02lf
        + z * (5.08130628187576562776e-03lf + z * (1.32494738004321644526e-04lf + z * -3.96022827877536812320e-06lf))));
    return r / s;
}

fn okl_erf_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (magnitude < 3.7252902984e-09lf) {
        // Products far above the subnormal numbers, and rounded to them once.
        let scaled = okl_ldexp_f64(x, 200);
        return okl_ldexp_f64(scaled + scaled * 1.28379167095512586316e-01lf, -200);
    }
    if (magnitude < 0.84375lf) {
        return x + x * okl_erf_rest_f64(x * x);
    }
    if (magnitude < 6.0lf) {
        return okl_copysign_f64(1.0lf - okl_erfc_part_f64(magnitude, 0), x);
    }
    return okl_copysign_f64(1.0lf, x);
}

fn okl_erfc_f64(x: f64) -> f64 {
    let magnitude = abs(x);
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (magnitude < 1.0e-17lf) {
        return 1.0lf;
    }
    if (magnitude < 0.84375lf) {
        let y = okl_erf_rest_f64(x * x);
        if (x < 0.25lf) {
            return 1.0lf - (x + x * y);
        }
        return 0.5lf - (x - 0.5lf + x * y);
    }
    if (magnitude >= 28.0lf) {
        return select(0.0lf, 2.0lf, x < 0.0lf);
    }
    let value = okl_erfc_part_f64(magnitude, 0);
    return select(value, 2.0lf - value, x < 0.0lf);
}

// The sine of pi * x.
fn okl_sinpi_f64(x: f64) -> f64 {
    let half = 0.5lf * x;
    let turned = 2.0lf * (half - floor(half));
    let n = (i32(4.0lf * turned) + 1) / 2;
    let angle = (turned - f64(n) * 0.5lf) * 3.14159265358979311600e+00lf;
    var value = 0.0lf;
    if ((n & 1) == 1) {
        value = okl_cos_part_f64(angle, 0.0lf);
    } else {
        value = okl_sin_part_f64(angle, 0.0lf);
    }
    return select(value, -value, n == 2 || n == 3);
}

// The logarithm of |gamma(x)| for x > 0.
fn okl_lgamma_positive_f64(x: f64) -> f64 {
    if (x == 1.0lf || x == 2.0lf) {
        return 0.0lf;
    }
    if (x < 2.0lf) {
        var r = 0.0lf;
        var y = 0.0lf;
        var which = 0;
        if (x <= 0.8999996185302734lf) {
            r = -okl_log_f64(x);
            if (x >= 0.7315998077392578lf) {
                y = 1.0lf - x;
            } else if (x >= 0.23163998126983643lf) {
                y = x - 0.46163214496836225lf;
                which = 1;
            } else {
                y = x;
                which = 2;
            }
        } else if (x >= 1.7316312789916992lf) {
            y = 2.0lf - x;
        } else if (x >= 1.2316322326660156lf) {
            y = x - 1.46163214496836224576e+00lf;
            which = 1;
        } else {
            y = x - 1.0lf;
            which = 2;
        }
        let z = y * y;
        if (which == 0) {
            let even = 7.72156649015328655494e-02lf + z * (6.73523010531292681824e-02lf + z * (7.38555086081402883957e-03lf
                + z * (1.19270763183362067845e-03lf + z * (2.20862790713908385557e-04lf + z * 2.52144565451257326939e-05lf))));
            let odd = z * (3.22467033424113591611e-01lf + z * (2.05808084325167332806e-02lf + z * (2.89051383673415629091e-03lf
                + z * (5.10069792153511336608e-04lf + z * (1.08011567247583939954e-04lf + z * 4.48640949618915160150e-05lf)))));
            return r + ((y * even + odd) - 0.5lf * y);
        }
        if (which == 1) {
            let w = z * y;
            let p = 4.83836122723810047042e-01lf + w * (-3.27885410759859649565e-02lf + w * (6.10053870246291332635e-03lf
                + w * (-1.40346469989232843813e-03lf + w * 3.15632070903625950361e-04lf)));
            let q = -1.47587722994593911752e-01lf + w * (1.79706750811820387126e-02lf + w * (-3.68452016781138256760e-03lf
                + w * (8.81081882437654011382e-04lf + w * -3.12754168375120860518e-04lf)));
            let s = 6.46249402391333854778e-02lf + w * (-1.03142241298341437450e-02lf + w * (2.25964780900612472250e-03lf
                + w * (-5.38595305356740546715e-04lf + w * 3.35529192635519073543e-04lf)));
            let t = z * p - (-3.63867699703950536541e-18lf - w * (q + y * s));
            return r + (-1.21486290535849611461e-01lf + t);
        }
        let p = y * (-7.72156649015328655494e-02lf + y * (6.32827064025093366517e-01lf + y * (1.45492250137234768737e+00lf
            + y * (9.77717527963372745603e-01lf + y * (2.28963728064692451092e-01lf + y * 1.33810918536787660377e-02lf)))));
        let q = 1.0lf + y * (2.45597793713041134822e+00lf + y * (2.12848976379893395361e+00lf
            + y * (7.69285150456672783825e-01lf + y * (1.04222645593369134254e-01lf + y * 3.21709242282423911810e-03lf))));
        return r + (-0.5lf * y + p / q);
    }
    if (x < 8.0lf) {
        let i = i32(x);
        let y = x - f64(i);
        let p = y * (-7.72156649015328655494e-02lf + y * (2.14982415960608852501e-01lf + y * (3.25778796408930981787e-01lf
            + y * (1.46350472652464452805e-01lf + y * (2.66422703033638609560e-02lf + y * (1.84028451407337715652e-03lf
            + y * 3.19475326584100867617e-05lf))))));
        let q = 1.0lf + y * (1.39200533467621045958e+00lf + y * (7.21935547567138069525e-01lf
            + y * (1.71933865632803078993e-01lf + y * (1.86459191715652901344e-02lf + y * (7.77942496381893596434e-04lf
            + y * 7.32668430744625636189e-06lf)))));
        let r = 0.5lf * y + p / q;
        if (i < 3) {
            return r;
        }
        var product = 1.0lf;
        for (var k = i - 1; k >= 2; k--) {
            product *= y + f64(k);
        }
        return r + okl_log_f64(product);
    }
    if (x < 288230376151711744.0lf) {
        let t = okl_log_f64(x);
        let z = 1.0lf / x;
        let y = z * z;
        let w = 4.18938533204672725052e-01lf + z * (8.33333333333329678849e-02lf + y * (-2.77777777728775536470e-03lf
            + y * (7.93650558643019558500e-04lf + y * (-5.95187557450339963135e-04lf + y * (8.36339918996282139126e-04lf
            + y * -1.63092934096575273989e-03lf)))));
        return (x - 0.5lf) * (t - 1.0lf) + w;
    }
    return x * (okl_log_f64(x) - 1.0lf);
}

fn okl_lgamma_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    if (okl_isinf_f64(x)) {
        return okl_inf_f64();
    }
    let magnitude = abs(x);
    if (magnitude < 8.470329472543003e-22lf) {
        return -okl_log_f64(bitcast<f64>(bitcast<u64>(x) & 0x7ffffffffffffffflu));
    }
    if (x > 0.0lf) {
        return okl_lgamma_positive_f64(x);
    }
    let t = abs(okl_sinpi_f64(magnitude));
    if (t == 0.0lf) {
        return okl_inf_f64();
    }
    return okl_log_f64(3.14159265358979311600e+00lf / (t * magnitude)) - okl_lgamma_positive_f64(magnitude);
}

// The two polynomials of Lanczos' approximation, one over the other.
fn okl_lanczos_f64(x: f64) -> f64 {
    let above = array<f64, 13>(23531376880.410759688572007674451636754734846804940lf,
        42919803642.649098768957899047001988850926355848959lf, 35711959237.355668049440185451547166705960488635843lf,
        17921034426.037209699919755754458931112671403265390lf, 6039542586.3520280050642916443072979210699388420708lf,
        1439720407.3117216736632230727949123939715485786772lf, 248874557.86205415651146038641322942321632125127801lf,
        31426415.585400194380614231628318205362874684987640lf, 2876370.6289353724412254090516208496135991145378768lf,
        186056.26539522349504029498971604569928220784236328lf, 8071.6720023658162106380029022722506138218516325024lf,
        210.82427775157934587250973392071336271166969580291lf, 2.5066282746310002701649081771338373386264310793408lf);
    let below = array<f64, 13>(0.0lf, 39916800.0lf, 120543840.0lf, 150917976.0lf, 105258076.0lf, 45995730.0lf,
        13339535.0lf, 2637558.0lf, 357423.0lf, 32670.0lf, 1925.0lf, 66.0lf, 1.0lf);
    var p = 0.0lf;
    var q = 0.0lf;
    for (var k = 0; k < 13; k++) {
        // Large arguments would overflow.
        if (x < 8.0lf) {
            p = p * x + above[12 - k];
            q = q * x + below[12 - k];
        } else {
            p = p / x + above[k];
            q = q / x + below[k];
        }
    }
    return p / q;
}

fn okl_tgamma_f64(x: f64) -> f64 {
    if (okl_isnan_f64(x)) {
        return x;
    }
    let magnitude = abs(x);
    if (okl_isinf_f64(x)) {
        return select(okl_nan_f64(), x, x > 0.0lf);
    }
    if (magnitude < 5.551115123125783e-17lf) {
        if (magnitude < 5.6e-309lf) {
            return okl_copysign_f64(okl_inf_f64(), x);
        }
        return 1.0lf / x;
    }
    if (floor(x) == x) {
        if (x < 0.0lf) {
            return okl_nan_f64();
        }
        if (x <= 23.0lf) {
            var product = 1.0lf;
            for (var k = 2; k < i32(x); k++) {
                product *= f64(k);
            }
            return product;
        }
    }
    if (x > 172.0lf) {
        return okl_inf_f64();
    }
    if (x < -184.0lf) {
        return select(-0.0lf, 0.0lf, floor(x) * 0.5lf == floor(x * 0.5lf));
    }
    let y = magnitude + 5.524680040776729583740234375lf;
    var lost = 0.0lf;
    if (magnitude > 5.524680040776729583740234375lf) {
        lost = (y - magnitude) - 5.524680040776729583740234375lf;
    } else {
        lost = (y - 5.524680040776729583740234375lf) - magnitude;
    }
    var z = magnitude - 0.5lf;
    var r = okl_lanczos_f64(magnitude) * okl_exp_f64(-y);
    if (x < 0.0lf) {
        r = -3.141592653589793238462643383279502884lf / (okl_sinpi_f64(magnitude) * magnitude * r);
        lost = -lost;
        z = -z;
    }
    r += lost * (5.524680040776729583740234375lf + 0.5lf) * r / y;
    z = okl_pow_f64(y, 0.5lf * z);
    return r * z * z;
}

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

// By integers: x * 2 / pi modulo 4, of which the bits that are multiples of 4 are never computed (Payne and Hanek).
fn okl_reduce_f32(x: f32) -> okl_angle_single {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    let mantissa = (bits & 0x007fffffu) | 0x00800000u;
    let exponent = i32(bits >> 23u) - 150;
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
    var quadrant = okl_word_single(&product, fraction_bits) & 3u;
    var top = okl_word_single(&product, fraction_bits - 32u);
    var next = okl_word_single(&product, fraction_bits - 64u);
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

@compute @workgroup_size(1, 1, 1)
fn one_each_0() {
    out[args.out_start] = okl_exp_f64(args.x);
    out[args.out_start + 1u] = okl_exp2_f64(args.x);
    out[args.out_start + 2u] = okl_expm1_f64(1e-5lf + (args.x - 0.5lf));
    out[args.out_start + 3u] = okl_log_f64(2.5lf + (args.x - 0.5lf));
    out[args.out_start + 4u] = okl_log2_f64(10.0lf + (args.x - 0.5lf));
    out[args.out_start + 5u] = okl_log10_f64(50.0lf + (args.x - 0.5lf));
    out[args.out_start + 6u] = okl_log1p_f64(1e-5lf + (args.x - 0.5lf));
    out[args.out_start + 7u] = okl_sin_f64(args.x);
    out[args.out_start + 8u] = okl_cos_f64(args.x);
    out[args.out_start + 9u] = okl_tan_f64(args.x);
    out[args.out_start + 10u] = okl_asin_f64(args.x);
    out[args.out_start + 11u] = okl_acos_f64(args.x);
    out[args.out_start + 12u] = okl_atan_f64(args.x);
    out[args.out_start + 13u] = okl_sinh_f64(args.x);
    out[args.out_start + 14u] = okl_cosh_f64(args.x);
    out[args.out_start + 15u] = okl_tanh_f64(args.x);
    out[args.out_start + 16u] = okl_asinh_f64(args.x);
    out[args.out_start + 17u] = okl_acosh_f64(1.5lf + (args.x - 0.5lf));
    out[args.out_start + 18u] = okl_atanh_f64(args.x);
    out[args.out_start + 19u] = okl_erf_f64(args.x);
    out[args.out_start + 20u] = okl_erfc_f64(args.x);
    out[args.out_start + 21u] = okl_cbrt_f64(2.0lf + (args.x - 0.5lf));
    out[args.out_start + 22u] = okl_tgamma_f64(4.5lf + (args.x - 0.5lf));
    out[args.out_start + 23u] = okl_lgamma_f64(4.5lf + (args.x - 0.5lf));
    out[args.out_start + 24u] = okl_pow_f64(1.0lf + args.x, 2.0lf + args.x);
    out[args.out_start + 25u] = okl_atan2_f64(0.5lf + args.x, -1.5lf - args.x);
    out[args.out_start + 26u] = okl_hypot_f64(2.5lf + args.x, 4.0lf + args.x);
    out[args.out_start + 27u] = okl_rsqrt_f64(1.5lf + args.x);
}

@compute @workgroup_size(1, 1, 1)
fn single_0() {
    out_1[args_1.out_start] = okl_exp_f32(args_1.x);
    out_1[args_1.out_start + 1u] = okl_log_f32(args_1.x);
    out_1[args_1.out_start + 2u] = okl_sin_f32(args_1.x);
    out_1[args_1.out_start + 3u] = okl_cos_f32(args_1.x);
    out_1[args_1.out_start + 4u] = okl_tanh_f32(args_1.x);
    out_1[args_1.out_start + 5u] = okl_pow_f32(args_1.x, 0.25f);
    out_1[args_1.out_start + 6u] = okl_atan2_f32(args_1.x, -1.0f);
    out_1[args_1.out_start + 7u] = okl_rsqrt_f32(args_1.x);
}
