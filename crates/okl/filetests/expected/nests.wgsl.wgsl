// WGSL, made from OKL.
// @kernel chain: chain_0, chain_1, chain_2
// @kernel sweep: sweep_0
// @kernel shrink: shrink_0

struct Args {
    x_start: u32,
    bound: i32,
    shift: i32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
    bound: i32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    x_start: u32,
    weight: i32,
    column: i32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    x_start: u32,
    m: i32,
    first_x: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(2) var<storage, read_write> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> x_1: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn chain_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.bound) {
        x[args.x_start + u32(i)] = i + args.shift;
    }
}

@compute @workgroup_size(4, 1, 1)
fn chain_1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block_1: i32 = i32(group.x + args.first_x) * 4;
    let i: i32 = i_block_1 + i32(item.x);
    if (i < args.bound) {
        x[args.x_start + u32(i)] += args.shift;
    }
}

@compute @workgroup_size(4, 1, 1)
fn chain_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block_2: i32 = i32(group.x + args_1.first_x) * 4;
    let i: i32 = i_block_2 + i32(item.x);
    if (i < args_1.bound) {
        x[args_1.x_start + u32(i)] *= 2;
    }
}

@compute @workgroup_size(1, 1, 1)
fn sweep_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = args_2.column + i32(item.x);
    x[args_2.x_start + u32(i)] += args_2.weight;
}

@compute @workgroup_size(2, 1, 1)
fn shrink_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_3.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_3.m) {
        x_1[args_3.x_start + u32(i)] += 1;
    }
}
