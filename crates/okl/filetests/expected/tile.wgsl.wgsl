// WGSL, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

struct Args {
    n: i32,
    a_start: u32,
    b_start: u32,
    ab_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    lo: i32,
    hi: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> ab: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn add_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        ab[args.ab_start + u32(i)] = a[args.a_start + u32(i)] + b[args.b_start + u32(i)];
    }
}

@compute @workgroup_size(4, 1, 1)
fn from_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = args_1.lo + i32(group.x + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.hi) {
        out[args_1.out_start + u32(i)] = i;
    }
}
