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

fn okl_rsqrt_f32(x: f32) -> f32 {
    return 1.0f / sqrt(x);
}

fn okl_rsqrt_f64(x: f64) -> f64 {
    return 1.0lf / sqrt(x);
}

// Halves away from zero.
fn okl_round_f32(x: f32) -> f32 {
    let whole = trunc(x);
    return select(whole, whole + okl_copysign_f32(1.0f, x), abs(x - whole) >= 0.5f);
}

fn okl_round_f64(x: f64) -> f64 {
    let whole = trunc(x);
    return select(whole, whole + okl_copysign_f64(1.0lf, x), abs(x - whole) >= 0.5lf);
}

// The product of neighbours is even, which no compiler sees: a zero that it does not know.
fn okl_unknown_zero(bits: u32) -> f32 {
    return bitcast<f32>((bits * (bits + 1u)) & 1u);
}

// Some number: each entry sets it.
var<private> okl_any_number: u32;

// A compiler that sees -0.0 beside 1 or -1 makes a conversion of the choice, which gives 0.0.
fn okl_negative_zero_f32() -> f32 {
    return -okl_unknown_zero(okl_any_number);
}

fn okl_negative_zero_f64() -> f64 {
    return -f64(okl_unknown_zero(okl_any_number));
}

// -1, 0 or 1 where a is less than, equal to or greater than b; by comparisons of 32 bits.
fn okl_order_i64(a: i64, b: i64) -> i32 {
    let high_a = i32(a >> 32u);
    let high_b = i32(b >> 32u);
    let low_a = u32(a & 0xffffffffli);
    let low_b = u32(b & 0xffffffffli);
    let low = select(select(0, 1, low_a > low_b), -1, low_a < low_b);
    return select(select(low, 1, high_a > high_b), -1, high_a < high_b);
}

fn okl_order_u64(a: u64, b: u64) -> i32 {
    let high_a = u32(a >> 32u);
    let high_b = u32(b >> 32u);
    let low_a = u32(a & 0xfffffffflu);
    let low_b = u32(b & 0xfffffffflu);
    let low = select(select(0, 1, low_a > low_b), -1, low_a < low_b);
    return select(select(low, 1, high_a > high_b), -1, high_a < high_b);
}

fn okl_times_zero_f32(x: f32) -> f32 {
    return x * okl_unknown_zero(bitcast<u32>(x));
}

fn okl_times_zero_f64(x: f64) -> f64 {
    return x * f64(okl_unknown_zero(bitcast<u32>(f32(x))));
}

fn okl_zero_by_f32(x: f32) -> f32 {
    return okl_unknown_zero(bitcast<u32>(x)) / x;
}

fn okl_zero_by_f64(x: f64) -> f64 {
    return f64(okl_unknown_zero(bitcast<u32>(f32(x)))) / x;
}

fn okl_plus_zero_f32(x: f32) -> f32 {
    return x + okl_unknown_zero(bitcast<u32>(x));
}

fn okl_plus_zero_f64(x: f64) -> f64 {
    return x + f64(okl_unknown_zero(bitcast<u32>(f32(x))));
}

fn okl_popcount_u64(x: u64) -> u64 {
    return u64(countOneBits(u32(x)) + countOneBits(u32(x >> 32u)));
}

fn okl_clz_u64(x: u64) -> u64 {
    let high = u32(x >> 32u);
    return u64(select(countLeadingZeros(high), 32u + countLeadingZeros(u32(x)), high == 0u));
}

fn okl_ctz_u64(x: u64) -> u64 {
    let low = u32(x);
    return u64(select(countTrailingZeros(low), 32u + countTrailingZeros(u32(x >> 32u)), low == 0u));
}
