// WGSL, made from OKL.
// @kernel taken: taken_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn taken_0() {
    out[args.out_start] = 1;
    out[args.out_start + 1u] = 2;
    out[args.out_start + 2u] = 3;
    out[args.out_start + 3u] = 4;
    out[args.out_start + 4u] = 5;
    out[args.out_start + 5u] = 6;
    out[args.out_start + 6u] = 7;
    out[args.out_start + 7u] = 8;
    out[args.out_start + 8u] = 9;
}
