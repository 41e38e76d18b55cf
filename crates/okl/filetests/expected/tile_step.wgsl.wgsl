// WGSL, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

struct Args {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn every_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 8;
    let i: i32 = i_block + i32(item.x) * 2;
    if (i < args.n) {
        out[args.out_start + u32(i)] += 1;
    }
}

@compute @workgroup_size(4, 1, 1)
fn through_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i <= args.n) {
        out[args.out_start + u32(i)] += 1;
    }
}

@compute @workgroup_size(4, 1, 1)
fn down_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = args.n - 1 + i32(group.x + args.first_x) * -4;
    let i: i32 = i_block + i32(item.x) * -1;
    if (i >= 0) {
        out[args.out_start + u32(i)] += 1;
    }
}
