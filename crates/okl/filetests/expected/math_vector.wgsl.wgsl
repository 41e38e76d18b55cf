// WGSL, made from OKL.
// @kernel waves: waves_0

struct Args {
    n: i32,
    x_start: u32,
    y_start: u32,
    z_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> y: array<f64>;
@group(0) @binding(3) var<storage, read_write> z: array<f32>;

// Infinities and NaNs: WGSL has no constants for them, and a compiler that evaluates one stops.
var<private> okl_infinity_bits: u32 = 0x7f800000u;

var<private> okl_nan_bits: u32 = 0x7fc00000u;

fn okl_inf_f64() -> f64 {
    return f64(bitcast<f32>(okl_infinity_bits));
}

fn okl_nan_f64() -> f64 {
    return f64(bitcast<f32>(okl_nan_bits));
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

fn waves_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 32;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        let angle: f64 = 0.37lf * x[args.x_start + u32(i)] - 40.0lf;
        y[args.y_start + u32(i)] = okl_exp_f64(0.05lf * angle) * okl_cos_f64(angle) + okl_sin_f64(3.0lf * angle) + okl_log_f64(1.0lf + x[args.x_start + u32(i)]);
        z[args.z_start + u32(i)] = 1.0f;
    }
}

@compute @workgroup_size(32, 1, 1)
fn waves_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    waves_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(32, 1, 1)
fn waves_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 32;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 32;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let angle: f64 = 0.37lf * x[args.x_start + u32(i)] - 40.0lf;
        let value: f64 = okl_exp_f64(0.05lf * angle) * okl_cos_f64(angle) + okl_sin_f64(3.0lf * angle) + okl_log_f64(1.0lf + x[args.x_start + u32(i)]);
        let angle_next: f64 = 0.37lf * x[args.x_start + u32(i_next)] - 40.0lf;
        let value_next: f64 = okl_exp_f64(0.05lf * angle_next) * okl_cos_f64(angle_next) + okl_sin_f64(3.0lf * angle_next) + okl_log_f64(1.0lf + x[args.x_start + u32(i_next)]);
        y[args.y_start + u32(i)] = value;
        y[args.y_start + u32(i_next)] = value_next;
        let value_1: f32 = 1.0f;
        let value_1_next: f32 = 1.0f;
        z[args.z_start + u32(i)] = value_1;
        z[args.z_start + u32(i_next)] = value_1_next;
    } else {
        waves_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            waves_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
