// WGSL, made from OKL.
// @kernel axpy: axpy_0
// @kernel rounds: rounds_0
// @kernel operators: operators_0
// @kernel places: places_0
// @kernel halves: halves_0

enable wgpu_int16;

struct Sample {
    value: u32,
    count: i32,
    pair: array<u32, 2>,
    last: u32,
}

struct Args {
    n: i32,
    a: u32,
    x_start: u32,
    y_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
    d_start: u32,
    k_start: u32,
    of_start: u32,
    od_start: u32,
    ok_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    a: u32,
    b: u32,
    out_start: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    s: array<u32, 4>,
    x_start: u32,
    p_start: u32,
    y_start: u32,
}

var<immediate> args_3: Args_3;

struct Args_4 {
    least: u32,
    x_start: u32,
    first_x: u32,
}

var<immediate> args_4: Args_4;

@group(0) @binding(2) var<storage, read_write> x: array<u16>;
@group(0) @binding(3) var<storage, read_write> y: array<u16>;
@group(0) @binding(0) var<storage, read_write> x_1: array<f32>;
@group(0) @binding(1) var<storage, read_write> d: array<f64>;
@group(0) @binding(2) var<storage, read_write> k: array<i32>;
@group(0) @binding(3) var<storage, read_write> of_1: array<u16>;
@group(0) @binding(4) var<storage, read_write> od: array<u16>;
@group(0) @binding(5) var<storage, read_write> ok: array<u16>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read_write> p: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> y_1: array<u16>;
var<workgroup> tile: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> x_2: array<u16>;
const weights: array<u32, 3> = array<u32, 3>(0x2e66u, 0x4000u, 0x7bffu);

var<private> okl_nan_bits: u32 = 0x7fc00000u;

fn okl_nan_f32() -> f32 {
    return bitcast<f32>(okl_nan_bits);
}

// By their bits: a driver may take for granted that there are neither NaNs nor infinities.
fn okl_isnan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn okl_fmax_f32(a: f32, b: f32) -> f32 {
    return select(b, a, a > b || okl_isnan_f32(b));
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

// The value of a half, which is held as its bits. WGSL's own conversions may lose subnormals, and round as they like.
fn okl_f32_of_f16(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let rest = half & 0x7fffu;
    let normal = (rest << 13u) + 0x38000000u;
    // A subnormal half is a multiple of 2^-24.
    let subnormal = bitcast<u32>(f32(rest) * 5.9604644775390625e-8f);
    let finite = select(normal, subnormal, rest < 0x400u);
    // The exponent of infinities and NaNs is all ones in both types.
    return bitcast<f32>(sign | finite | select(0u, 0x7f800000u, rest >= 0x7c00u));
}

// The nearest half, ties to even; infinite beyond the largest, NaN for a NaN.
fn okl_f16_of_f32(number: f32) -> u32 {
    let bits = bitcast<u32>(number);
    let sign = (bits >> 16u) & 0x8000u;
    let rest = bits & 0x7fffffffu;
    // From 65,520 on everything is 65,536, which is infinite.
    let bounded = select(rest, 0x47800000u, rest >= 0x477ff000u);
    let normal = (bounded - 0x37fff001u + ((bounded >> 13u) & 1u)) >> 13u;
    // Below 2^-14 a half counts multiples of 2^-24: all bits behind those are rounded off.
    let shift = 126u - clamp(rest >> 23u, 101u, 112u);
    let whole = (rest & 0x7fffffu) | 0x800000u;
    let subnormal = (whole + (1u << (shift - 1u)) - 1u + ((whole >> shift) & 1u)) >> shift;
    let ordered = select(normal, subnormal, rest < 0x38800000u);
    return sign | ordered | select(0u, 0x0200u, rest > 0x7f800000u);
}

// Rounded once: the last of the 21 bits that go through f32 says whether any behind it is set.
fn okl_f16_of_f64(number: f64) -> u32 {
    let bits = bitcast<u64>(number);
    let rest = bits & 0xfffffffflu;
    let kept = (bits - rest) | select(0lu, 0x100000000lu, rest != 0lu);
    return okl_f16_of_f32(f32(bitcast<f64>(kept)));
}

fn okl_p_and_word(at: u32, bits: u32) {
    atomicAnd(&p[at], bits); return;
}

fn okl_p_load_f16(at: u32) -> u32 {
    let shift = 8u * (at & 3u);
    let word: u32 = atomicLoad(&p[at >> 2u]);
    return extractBits(word, shift, 16u);
}

fn okl_p_load_i32(at: u32) -> i32 {
    let word: u32 = atomicLoad(&p[at >> 2u]);
    return bitcast<i32>(word);
}

fn okl_p_or_word(at: u32, bits: u32) {
    atomicOr(&p[at], bits); return;
}

fn okl_p_store_f16(at: u32, value: u32) {
    let shift = 8u * (at & 3u);
    okl_p_and_word(at >> 2u, ~(0xffffu << shift));
    okl_p_or_word(at >> 2u, ((value) & 0xffffu) << shift);
}

fn okl_p_store_i32(at: u32, value: i32) {
    atomicStore(&p[at >> 2u], (bitcast<u32>(value)));
}

fn twice(x: u32) -> u32 {
    return okl_f16_of_f32(2.0f * okl_f32_of_f16(x));
}

fn raise_of_p(x_start: u32, x_start_1: u32, by: i32) {
    okl_p_store_f16(16u * x_start + 2u * x_start_1 + 8u, okl_f16_of_f32(okl_f32_of_f16(okl_p_load_f16(16u * x_start + 2u * x_start_1 + 8u)) + f32(by)));
}

fn axpy_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        y[args.y_start + u32(i)] = u16(okl_f16_of_f32(okl_f32_of_f16(args.a) * okl_f32_of_f16(u32(x[args.x_start + u32(i)])) + okl_f32_of_f16(u32(y[args.y_start + u32(i)]))));
    }
}

@compute @workgroup_size(4, 1, 1)
fn axpy_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    axpy_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn axpy_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: u32 = okl_f16_of_f32(okl_f32_of_f16(args.a) * okl_f32_of_f16(u32(x[args.x_start + u32(i)])) + okl_f32_of_f16(u32(y[args.y_start + u32(i)])));
        let value_next: u32 = okl_f16_of_f32(okl_f32_of_f16(args.a) * okl_f32_of_f16(u32(x[args.x_start + u32(i_next)])) + okl_f32_of_f16(u32(y[args.y_start + u32(i_next)])));
        y[args.y_start + u32(i)] = u16(value);
        y[args.y_start + u32(i_next)] = u16(value_next);
    } else {
        axpy_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            axpy_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(8, 1, 1)
fn rounds_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    of_1[args_1.of_start + u32(i)] = u16(okl_f16_of_f32(x_1[args_1.x_start + u32(i)]));
    od[args_1.od_start + u32(i)] = u16(okl_f16_of_f64(d[args_1.d_start + u32(i)]));
    ok[args_1.ok_start + u32(i)] = u16(okl_f16_of_f32(f32(k[args_1.k_start + u32(i)])));
}

@compute @workgroup_size(1, 1, 1)
fn operators_0() {
    var h: u32 = args_2.a;
    let none: u32 = okl_f16_of_f32(-okl_f32_of_f16(args_2.b));
    out[args_2.out_start] = -okl_f32_of_f16(args_2.a);
    out[args_2.out_start + 1u] = okl_f32_of_f16(args_2.a);
    out[args_2.out_start + 2u] = select(okl_f32_of_f16(args_2.a), okl_f32_of_f16(args_2.b), !(okl_f32_of_f16(args_2.b) == 0.0f));
    out[args_2.out_start + 3u] = select(0.0f, 1.0f, okl_f32_of_f16(args_2.a) < okl_f32_of_f16(args_2.b));
    out[args_2.out_start + 4u] = select(0.0f, 1.0f, !(!(okl_f32_of_f16(args_2.b) == 0.0f)));
    out[args_2.out_start + 5u] = select(0.0f, 1.0f, !(okl_f32_of_f16(args_2.b) == 0.0f) && !(okl_f32_of_f16(args_2.a) == 0.0f));
    out[args_2.out_start + 6u] = select(0.0f, 1.0f, okl_f32_of_f16(none) == okl_f32_of_f16(args_2.b));
    out[args_2.out_start + 7u] = 2.0f;
    out[args_2.out_start + 8u] = f32(i32(okl_f32_of_f16(args_2.a)));
    out[args_2.out_start + 9u] = okl_sqrt_f32(-okl_f32_of_f16(args_2.a));
    out[args_2.out_start + 10u] = abs(okl_f32_of_f16(h));
    h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
    out[args_2.out_start + 11u] = okl_f32_of_f16(h);
    h = okl_f16_of_f64(f64(okl_f32_of_f16(h)) * -4.0lf);
    h = okl_f16_of_f32(okl_f32_of_f16(h) + 1.0f);
    out[args_2.out_start + 12u] = okl_f32_of_f16(h);
    if (!(okl_f32_of_f16(none) == 0.0f)) {
        out[args_2.out_start + 13u] = 1.0f;
    }
    out[args_2.out_start + 14u] = select(0.0f, 1.0f, !(okl_f32_of_f16(h) == 0.0f));
    out[args_2.out_start + 15u] = okl_fmax_f32(okl_f32_of_f16(h), okl_f32_of_f16(weights[0])) + f32(select(0, 1, okl_f32_of_f16(weights[2]) > 60000.0f));
}

@compute @workgroup_size(4, 1, 1)
fn places_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var s = Sample(extractBits(args_3.s[0], 0u, 16u), bitcast<i32>(args_3.s[1]), array<u32, 2>(extractBits(args_3.s[2], 0u, 16u), extractBits(args_3.s[2], 16u, 16u)), extractBits(args_3.s[3], 0u, 16u));
    var mine: u32;
    {
        let i: i32 = i32(item.x);
        tile[i] = u32(x[args_3.x_start + u32(i)]);
        mine = twice(u32(x[args_3.x_start + u32(i)]));
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        var local: array<u32, 3> = array<u32, 3>(weights[1], s.pair[0], 0x0000u);
        local[2] = okl_f16_of_f32(okl_f32_of_f16(tile[3 - i]) + okl_f32_of_f16(mine));
        y_1[args_3.y_start + u32(i)] = u16(okl_f16_of_f32(okl_f32_of_f16(local[1]) * okl_f32_of_f16(local[2]) + f32(s.count)));
        okl_p_store_i32(16u * (args_3.p_start + u32(i)) + 4u, okl_p_load_i32(16u * (args_3.p_start + u32(i)) + 4u) + i);
        okl_p_store_i32(16u * (args_3.p_start + u32(i)) + 4u, okl_p_load_i32(16u * (args_3.p_start + u32(i)) + 4u) + 1);
        okl_p_store_f16(16u * (args_3.p_start + u32(i)) + 12u, okl_f16_of_f32(okl_f32_of_f16(okl_p_load_f16(16u * (args_3.p_start + u32(i)) + 12u)) + 1.0f));
        okl_p_store_f16(16u * (args_3.p_start + u32(i)) + 10u, okl_f16_of_f64(f64(okl_f32_of_f16(okl_p_load_f16(16u * (args_3.p_start + u32(i)) + 10u)) + f32(i) + okl_f32_of_f16(s.pair[1])) - 0.5lf));
        if (i > 0) {
            raise_of_p(args_3.p_start + u32(i), 0u, 1);
        }
    }
}

override halves_0_x: u32 = 1u;
override halves_0_y: u32 = 1u;
override halves_0_z: u32 = 1u;

@compute @workgroup_size(halves_0_x, halves_0_y, halves_0_z)
fn halves_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    for (var h: u32 = u32(x_2[args_4.x_start + u32(i)]); okl_f32_of_f16(h) > okl_f32_of_f16(args_4.least); h = okl_f16_of_f32(okl_f32_of_f16(h) - 1.0f)) {
        x_2[args_4.x_start + u32(i)] = u16(okl_f16_of_f32(select(okl_f32_of_f16(u32(x_2[args_4.x_start + u32(i)])), okl_f32_of_f16(u32(x_2[args_4.x_start + u32(i)])) - okl_f32_of_f16(args_4.least), okl_f32_of_f16(u32(x_2[args_4.x_start + u32(i)])) > 1.0f)));
        if (f64(okl_f32_of_f16(h)) < 2.5lf) {
            break;
        }
    }
}
