// WGSL, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

struct Args {
    n: i32,
    a_start: u32,
    b_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    a_start: u32,
    b_start: u32,
    c_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> b_1: array<i32>;
@group(0) @binding(3) var<storage, read_write> c: array<i32>;

@compute @workgroup_size(2, 1, 1)
fn shift_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        b[args.b_start + u32(i)] = a[args.a_start + u32(i)] + 1;
    }
}

@compute @workgroup_size(2, 1, 1)
fn plain_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        b[args.b_start + u32(i)] = a[args.a_start + u32(i)] + 1;
    }
}

@compute @workgroup_size(2, 1, 1)
fn both_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_1.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        c[args_1.c_start + u32(i)] = a[args_1.a_start + u32(i)] + b_1[args_1.b_start + u32(i)];
    }
}
