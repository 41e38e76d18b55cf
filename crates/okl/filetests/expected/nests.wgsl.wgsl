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
    shift: i32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    x_start: u32,
    bound: i32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    x_start: u32,
    weight: i32,
    column: i32,
}

var<immediate> args_3: Args_3;

struct Args_4 {
    x_start: u32,
    m: i32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_4: Args_4;

@group(0) @binding(2) var<storage, read_write> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> x_1: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn chain_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.bound) {
        x[args.x_start + u32(i)] = i + args.shift;
    }
}

fn chain_1_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block_1: i32 = i32(group.x) * 4;
    let i: i32 = i_block_1 + i32(item.x);
    if (i < args_1.bound) {
        x[args_1.x_start + u32(i)] += args_1.shift;
    }
}

@compute @workgroup_size(4, 1, 1)
fn chain_1(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    chain_1_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn chain_1_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block_1: i32 = i32(group_x) * 4;
    let i: i32 = i_block_1 + i32(item.x);
    let i_block_1_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_1_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.bound && i_next < args_1.bound) {
        let value: i32 = x[args_1.x_start + u32(i)] + args_1.shift;
        let value_next: i32 = x[args_1.x_start + u32(i_next)] + args_1.shift;
        x[args_1.x_start + u32(i)] = value;
        x[args_1.x_start + u32(i_next)] = value_next;
    } else {
        chain_1_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            chain_1_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn chain_2_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block_2: i32 = i32(group.x) * 4;
    let i: i32 = i_block_2 + i32(item.x);
    if (i < args_2.bound) {
        x[args_2.x_start + u32(i)] *= 2;
    }
}

@compute @workgroup_size(4, 1, 1)
fn chain_2(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    chain_2_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn chain_2_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block_2: i32 = i32(group_x) * 4;
    let i: i32 = i_block_2 + i32(item.x);
    let i_block_2_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_2_next + i32(item.x);
    if (next_x < args_2.end_x && i < args_2.bound && i_next < args_2.bound) {
        let value: i32 = x[args_2.x_start + u32(i)] * 2;
        let value_next: i32 = x[args_2.x_start + u32(i_next)] * 2;
        x[args_2.x_start + u32(i)] = value;
        x[args_2.x_start + u32(i_next)] = value_next;
    } else {
        chain_2_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            chain_2_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn sweep_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = args_3.column + i32(item.x);
    x[args_3.x_start + u32(i)] += args_3.weight;
}

fn shrink_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_4.m) {
        x_1[args_4.x_start + u32(i)] += 1;
    }
}

@compute @workgroup_size(2, 1, 1)
fn shrink_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    shrink_0_group(vec3<u32>(group.x + 65535 * group.y + args_4.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn shrink_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_4.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_4.end_x && i < args_4.m && i_next < args_4.m) {
        let value: i32 = x_1[args_4.x_start + u32(i)] + 1;
        let value_next: i32 = x_1[args_4.x_start + u32(i_next)] + 1;
        x_1[args_4.x_start + u32(i)] = value;
        x_1[args_4.x_start + u32(i_next)] = value_next;
    } else {
        shrink_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_4.end_x) {
            shrink_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
