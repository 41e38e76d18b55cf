// WGSL, made from OKL.
// @kernel mixed: mixed_0
// @kernel floats: floats_0

struct Args {
    a: i32,
    u: u32,
    c: u32,
    s: i32,
    l: i64,
    f: f32,
    d: f64,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    i: i32,
    out_start: u32,
    wide_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(7) var<storage, read_write> out: array<i64>;
@group(0) @binding(1) var<storage, read_write> out_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> wide: array<f64>;

@compute @workgroup_size(1, 1, 1)
fn mixed_0() {
    out[args.out_start] = select(0li, 1li, u32(args.a) < args.u);
    out[args.out_start + 1u] = select(0li, 1li, args.l < i64(u64(args.u)));
    out[args.out_start + 2u] = i64(u64(u32(args.a) * args.u));
    out[args.out_start + 3u] = i64(i32(args.c) + i32(args.c));
    out[args.out_start + 4u] = i64(args.s + args.s);
    out[args.out_start + 5u] = select(0li, 1li, args.s < i32(args.c));
    out[args.out_start + 6u] = select(0li, 1li, u32(args.a) == 4294967295u);
    out[args.out_start + 7u] = select(0li, 1li, f64(args.f) == args.d);
    out[args.out_start + 8u] = i64(select(0, 1, args.a < 0) + select(0, 1, i32(args.c) > 0) + select(0, 1, args.s != 0));
    out[args.out_start + 9u] = 1li;
    out[args.out_start + 10u] = 4294967295li;
    out[args.out_start + 11u] = 1li;
}

@compute @workgroup_size(1, 1, 1)
fn floats_0() {
    out_1[args_1.out_start] = f32(args_1.i);
    out_1[args_1.out_start + 1u] = f32(args_1.i) * 1.0f;
    out_1[args_1.out_start + 2u] = 0.5f;
    out_1[args_1.out_start + 3u] = 3.0f;
    wide[args_1.wide_start] = f64(args_1.i) * 1.0lf;
    wide[args_1.wide_start + 1u] = 0.5lf;
    wide[args_1.wide_start + 2u] = 0.30000001192092896lf;
    wide[args_1.wide_start + 3u] = 0.30000000000000004lf;
}
