// The algorithms are those of FreeBSD's msun (Copyright (C) 1993 by Sun Microsystems, Inc. Permission to use, copy,
// modify, and distribute this software is freely granted, provided that this notice is preserved), but for angles
// beyond 2 to the power 20, which are reduced by integers.

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
