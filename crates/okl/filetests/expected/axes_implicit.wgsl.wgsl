// WGSL, made from OKL.
// @kernel fill: fill_0

struct Args {
    out_start: u32,
    first_x: u32,
    first_y: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(2, 2, 1)
fn fill_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let b: i32 = i32(group.x + args.first_x);
    let a: i32 = i32(group.y + args.first_y);
    let d: i32 = i32(item.x);
    let c: i32 = i32(item.y);
    out[args.out_start + u32(((a * 2 + b) * 2 + c) * 2 + d)] = 1000 * a + 100 * b + 10 * c + d;
}
