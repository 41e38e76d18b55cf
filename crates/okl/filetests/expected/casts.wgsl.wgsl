// WGSL, made from OKL.
// @kernel casts: casts_0
// @kernel floats: floats_0

struct Args {
    x: f64,
    big: i32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    third: f64,
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(2) var<storage, read_write> out: array<i64>;
@group(0) @binding(1) var<storage, read_write> out_1: array<f64>;

@compute @workgroup_size(1, 1, 1)
fn casts_0() {
    out[args.out_start] = i64(i32(args.x));
    out[args.out_start + 1u] = 255li;
    out[args.out_start + 2u] = i64(extractBits(args.big, 0u, 8u));
    out[args.out_start + 3u] = 4294967295li;
    out[args.out_start + 4u] = -1li;
    out[args.out_start + 5u] = 1li;
    out[args.out_start + 6u] = 0li;
    out[args.out_start + 7u] = 65li;
    out[args.out_start + 8u] = 3li;
    out[args.out_start + 9u] = 2li;
}

@compute @workgroup_size(1, 1, 1)
fn floats_0() {
    out_1[args_1.out_start] = f64(f32(args_1.third));
    out_1[args_1.out_start + 1u] = 4294967296.0lf;
    out_1[args_1.out_start + 2u] = -2.0lf;
}
