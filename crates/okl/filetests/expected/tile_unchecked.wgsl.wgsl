// WGSL, made from OKL.
// @kernel fill: fill_0

struct Args {
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn fill_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    out[args.out_start + u32(i)] = i;
}
