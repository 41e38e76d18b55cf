// WGSL, made from OKL.
// @kernel double_precision: double_precision_0
// @kernel single_precision: single_precision_0
// @kernel integers: integers_0

struct Args {
    x_start: u32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    a: i32,
    b: i32,
    u: u32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> x: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;
@group(0) @binding(0) var<storage, read_write> x_1: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<f32>;
@group(0) @binding(3) var<storage, read_write> out_2: array<i32>;

// Infinities and NaNs: WGSL has no constants for them, and a compiler that evaluates one stops.
var<private> okl_infinity_bits: u32 = 0x7f800000u;

var<private> okl_nan_bits: u32 = 0x7fc00000u;

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

fn okl_isnan_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn okl_isinf_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) == 0x7ff0000000000000lu;
}

fn okl_copysign_f64(x: f64, y: f64) -> f64 {
    return bitcast<f64>((bitcast<u64>(x) & 0x7ffffffffffffffflu) | (bitcast<u64>(y) & 0x8000000000000000lu));
}

// A NaN loses against a number, as in C.
fn okl_fmin_f32(a: f32, b: f32) -> f32 {
    return select(b, a, a < b || okl_isnan_f32(b));
}

fn okl_fmax_f32(a: f32, b: f32) -> f32 {
    return select(b, a, a > b || okl_isnan_f32(b));
}

fn okl_fmin_f64(a: f64, b: f64) -> f64 {
    return select(b, a, a < b || okl_isnan_f64(b));
}

fn okl_fmax_f64(a: f64, b: f64) -> f64 {
    return select(b, a, a > b || okl_isnan_f64(b));
}

fn okl_round_f64(x: f64) -> f64 {
    let whole = trunc(x);
    return select(whole, whole + okl_copysign_f64(1.0lf, x), abs(x - whole) >= 0.5lf);
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

@compute @workgroup_size(1, 1, 1)
fn double_precision_0() {
    out[args.out_start] = sqrt(x[args.x_start]);
    out[args.out_start + 1u] = abs(x[args.x_start + 1u]);
    out[args.out_start + 2u] = floor(x[args.x_start + 1u]);
    out[args.out_start + 3u] = floor(x[args.x_start + 2u]);
    out[args.out_start + 4u] = ceil(x[args.x_start + 1u]);
    out[args.out_start + 5u] = okl_round_f64(x[args.x_start + 1u]);
    out[args.out_start + 6u] = ceil(x[args.x_start + 2u]);
    out[args.out_start + 7u] = trunc(x[args.x_start + 1u]);
    out[args.out_start + 8u] = round(x[args.x_start + 2u]);
    out[args.out_start + 9u] = okl_fmod_f64(x[args.x_start + 4u], 3.0lf);
    out[args.out_start + 10u] = okl_fmin_f64(x[args.x_start + 1u], x[args.x_start]);
    out[args.out_start + 11u] = okl_fmax_f64(x[args.x_start + 1u], x[args.x_start]);
    out[args.out_start + 12u] = okl_copysign_f64(x[args.x_start + 4u], x[args.x_start + 1u]);
    out[args.out_start + 13u] = fma(x[args.x_start], x[args.x_start + 2u], 0.5lf);
    out[args.out_start + 14u] = select(0.0lf, 1.0lf, okl_isnan_f64(x[args.x_start] * okl_inf_f64() - x[args.x_start] * okl_inf_f64()));
    out[args.out_start + 15u] = select(0.0lf, 1.0lf, okl_isnan_f64(x[args.x_start]));
    out[args.out_start + 16u] = select(0.0lf, 1.0lf, okl_isinf_f64(x[args.x_start] * okl_inf_f64()));
    out[args.out_start + 17u] = okl_fmax_f64(x[args.x_start], x[args.x_start + 3u]) + okl_fmin_f64(x[args.x_start], x[args.x_start + 3u]);
    out[args.out_start + 18u] = 0.0lf;
}

@compute @workgroup_size(1, 1, 1)
fn single_precision_0() {
    out_1[args.out_start] = okl_sqrt_f32(x_1[args.x_start]);
    out_1[args.out_start + 1u] = abs(x_1[args.x_start + 1u]);
    out_1[args.out_start + 2u] = floor(x_1[args.x_start + 1u]);
    out_1[args.out_start + 3u] = ceil(x_1[args.x_start + 1u]);
    out_1[args.out_start + 4u] = okl_fmax_f32(x_1[args.x_start], x_1[args.x_start + 1u]);
    out_1[args.out_start + 5u] = okl_fmin_f32(x_1[args.x_start], x_1[args.x_start + 1u]);
    out_1[args.out_start + 6u] = fma(x_1[args.x_start + 2u], x_1[args.x_start + 2u], 0.5f);
    out_1[args.out_start + 7u] = okl_fmod_f32(x_1[args.x_start + 2u], 1.0f);
}

@compute @workgroup_size(1, 1, 1)
fn integers_0() {
    out_2[args_1.out_start] = abs(args_1.a);
    out_2[args_1.out_start + 1u] = min(args_1.a, args_1.b);
    out_2[args_1.out_start + 2u] = max(args_1.a, args_1.b);
    out_2[args_1.out_start + 3u] = i32(max(args_1.u, 3u));
    out_2[args_1.out_start + 4u] = select(args_1.b, abs(args_1.a), abs(args_1.a) > args_1.b);
    out_2[args_1.out_start + 5u] = min(args_1.b, args_1.a);
}
