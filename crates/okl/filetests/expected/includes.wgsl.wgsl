// WGSL, made from OKL.
// @kernel areas: areas_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<f64>;

fn area(width: f64, height: f64) -> f64 {
    return width * height * 2.0lf;
}

@compute @workgroup_size(1, 1, 1)
fn areas_0() {
    out[args.out_start] = area(2.0lf, 3.0lf);
    out[args.out_start + 1u] = 2.0lf;
}
