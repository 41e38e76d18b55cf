// WGSL, made from OKL.
// @kernel every: every_0
// @kernel through: through_0
// @kernel down: down_0

struct Args {
    n: i32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;

fn every_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 8;
    let i: i32 = i_block + i32(item.x) * 2;
    if (i < args.n) {
        out[args.out_start + u32(i)] += 1;
    }
}

@compute @workgroup_size(4, 1, 1)
fn every_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    every_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn every_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 8;
    let i: i32 = i_block + i32(item.x) * 2;
    let i_block_next: i32 = i32(next_x) * 8;
    let i_next: i32 = i_block_next + i32(item.x) * 2;
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: i32 = out[args.out_start + u32(i)] + 1;
        let value_next: i32 = out[args.out_start + u32(i_next)] + 1;
        out[args.out_start + u32(i)] = value;
        out[args.out_start + u32(i_next)] = value_next;
    } else {
        every_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            every_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn through_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i <= args.n) {
        out[args.out_start + u32(i)] += 1;
    }
}

@compute @workgroup_size(4, 1, 1)
fn through_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    through_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn through_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i <= args.n && i_next <= args.n) {
        let value: i32 = out[args.out_start + u32(i)] + 1;
        let value_next: i32 = out[args.out_start + u32(i_next)] + 1;
        out[args.out_start + u32(i)] = value;
        out[args.out_start + u32(i_next)] = value_next;
    } else {
        through_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            through_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn down_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = args.n - 1 + i32(group.x) * -4;
    let i: i32 = i_block + i32(item.x) * -1;
    if (i >= 0) {
        out[args.out_start + u32(i)] += 1;
    }
}

@compute @workgroup_size(4, 1, 1)
fn down_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    down_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn down_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = args.n - 1 + i32(group_x) * -4;
    let i: i32 = i_block + i32(item.x) * -1;
    let i_block_next: i32 = args.n - 1 + i32(next_x) * -4;
    let i_next: i32 = i_block_next + i32(item.x) * -1;
    if (next_x < args.end_x && i >= 0 && i_next >= 0) {
        let value: i32 = out[args.out_start + u32(i)] + 1;
        let value_next: i32 = out[args.out_start + u32(i_next)] + 1;
        out[args.out_start + u32(i)] = value;
        out[args.out_start + u32(i_next)] = value_next;
    } else {
        down_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            down_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
