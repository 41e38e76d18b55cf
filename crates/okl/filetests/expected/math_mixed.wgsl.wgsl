// WGSL, made from OKL.
// @kernel mixed: mixed_0

struct Args {
    x: f64,
    f: f32,
    i: i32,
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(3) var<storage, read_write> out: array<f64>;

// By their bits: a driver may take for granted that there are neither NaNs nor infinities.
fn okl_isnan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn okl_isnan_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn okl_copysign_f64(x: f64, y: f64) -> f64 {
    return bitcast<f64>((bitcast<u64>(x) & 0x7ffffffffffffffflu) | (bitcast<u64>(y) & 0x8000000000000000lu));
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

@compute @workgroup_size(1, 1, 1)
fn mixed_0() {
    out[args.out_start] = okl_fmin_f64(args.x, f64(args.f));
    out[args.out_start + 1u] = okl_fmax_f64(f64(args.f), args.x);
    out[args.out_start + 2u] = okl_copysign_f64(args.x, f64(-args.f));
    out[args.out_start + 3u] = fma(args.x, f64(args.f), 1.0lf);
    out[args.out_start + 4u] = sqrt(f64(args.i));
    out[args.out_start + 5u] = f64(okl_fmax_f32(f32(args.i), args.f));
    out[args.out_start + 6u] = okl_fmin_f64(args.x, f64(args.f));
    out[args.out_start + 7u] = okl_fmax_f64(f64(args.f), args.x);
}
