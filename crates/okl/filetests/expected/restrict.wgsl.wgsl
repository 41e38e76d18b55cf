// WGSL, made from OKL.
// @kernel shift: shift_0
// @kernel plain: plain_0
// @kernel both: both_0

struct Args {
    n: i32,
    a_start: u32,
    b_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    a_start: u32,
    b_start: u32,
    c_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> b_1: array<i32>;
@group(0) @binding(3) var<storage, read_write> c: array<i32>;

fn shift_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        b[args.b_start + u32(i)] = a[args.a_start + u32(i)] + 1;
    }
}

@compute @workgroup_size(2, 1, 1)
fn shift_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    shift_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn shift_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: i32 = a[args.a_start + u32(i)] + 1;
        let value_next: i32 = a[args.a_start + u32(i_next)] + 1;
        b[args.b_start + u32(i)] = value;
        b[args.b_start + u32(i_next)] = value_next;
    } else {
        shift_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            shift_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn plain_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        b[args.b_start + u32(i)] = a[args.a_start + u32(i)] + 1;
    }
}

@compute @workgroup_size(2, 1, 1)
fn plain_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    plain_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn plain_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: i32 = a[args.a_start + u32(i)] + 1;
        let value_next: i32 = a[args.a_start + u32(i_next)] + 1;
        b[args.b_start + u32(i)] = value;
        b[args.b_start + u32(i_next)] = value_next;
    } else {
        plain_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            plain_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn both_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        c[args_1.c_start + u32(i)] = a[args_1.a_start + u32(i)] + b_1[args_1.b_start + u32(i)];
    }
}

@compute @workgroup_size(2, 1, 1)
fn both_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    both_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn both_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let value: i32 = a[args_1.a_start + u32(i)] + b_1[args_1.b_start + u32(i)];
        let value_next: i32 = a[args_1.a_start + u32(i_next)] + b_1[args_1.b_start + u32(i_next)];
        c[args_1.c_start + u32(i)] = value;
        c[args_1.c_start + u32(i_next)] = value_next;
    } else {
        both_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            both_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
