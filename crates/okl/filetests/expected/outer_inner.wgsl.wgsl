// WGSL, made from OKL.
// @kernel scale: scale_0

struct Args {
    a: f64,
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(2) var<storage, read_write> x: array<f64>;
@group(0) @binding(3) var<storage, read_write> y: array<f64>;

@compute @workgroup_size(4, 1, 1)
fn scale_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + args.first_x);
    let i: i32 = i32(item.x);
    y[args.y_start + u32(4 * o + i)] = args.a * x[args.x_start + u32(4 * o + i)];
}
