// WGSL, made from OKL.
// @kernel fill: fill_0

struct Args {
    items: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(2) var<storage, read_write> out: array<i32>;

override fill_0_x: u32 = 1u;
override fill_0_y: u32 = 1u;
override fill_0_z: u32 = 1u;

@compute @workgroup_size(fill_0_x, fill_0_y, fill_0_z)
fn fill_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x) * args.items;
    let i: i32 = i32(item.x);
    out[args.out_start + u32(o + i)] = o + i;
}
