// WGSL, made from OKL.
// @kernel integers: integers_0
// @kernel floats: floats_0
// @kernel widths: widths_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<i64>;
@group(0) @binding(0) var<storage, read_write> out_1: array<f64>;
@group(0) @binding(0) var<storage, read_write> out_2: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn integers_0() {
    out[args.out_start] = 10li;
    out[args.out_start + 1u] = 8li;
    out[args.out_start + 2u] = 255li;
    out[args.out_start + 3u] = 5li;
    out[args.out_start + 4u] = 4294967295li;
    out[args.out_start + 5u] = 4294967296li;
    out[args.out_start + 6u] = -1li;
    out[args.out_start + 7u] = 65li;
    out[args.out_start + 8u] = 10li;
    out[args.out_start + 9u] = 92li;
    out[args.out_start + 10u] = 0li;
    out[args.out_start + 11u] = 27li;
    out[args.out_start + 12u] = 18li;
    out[args.out_start + 13u] = 1li;
}

@compute @workgroup_size(1, 1, 1)
fn floats_0() {
    out_1[args.out_start] = 1.5lf;
    out_1[args.out_start + 1u] = 0.5lf;
    out_1[args.out_start + 2u] = 2.0lf;
    out_1[args.out_start + 3u] = 1000.0lf;
    out_1[args.out_start + 4u] = 0.001lf;
    out_1[args.out_start + 5u] = 0.10000000149011612lf;
    out_1[args.out_start + 6u] = 1.5lf;
    out_1[args.out_start + 7u] = 3.0lf;
}

@compute @workgroup_size(1, 1, 1)
fn widths_0() {
    out_2[args.out_start] = 1;
    out_2[args.out_start + 1u] = 2;
    out_2[args.out_start + 2u] = 4;
    out_2[args.out_start + 3u] = 8;
    out_2[args.out_start + 4u] = 8;
    out_2[args.out_start + 5u] = 4;
}
