// WGSL, made from OKL.
// @kernel names: names_0

struct point_s {
    x: f64,
    id: i32,
}

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1, 1, 1)
fn names_0() {
    var p: point_s;
    p.x = 2.5lf;
    p.id = 11;
    out[args.out_start] = 0.0lf;
    out[args.out_start + 1u] = 1.0lf;
    out[args.out_start + 2u] = 10.0lf;
    out[args.out_start + 3u] = f64(p.id);
    out[args.out_start + 4u] = p.x;
    out[args.out_start + 5u] = 42.0lf;
}
