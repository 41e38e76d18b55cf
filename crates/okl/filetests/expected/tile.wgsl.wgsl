// WGSL, made from OKL.
// @kernel add: add_0
// @kernel from: from_0

struct Args {
    n: i32,
    a_start: u32,
    b_start: u32,
    ab_start: u32,
    first_x: u32,
    end_x: u32,
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

fn add_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        ab[args.ab_start + u32(i)] = a[args.a_start + u32(i)] + b[args.b_start + u32(i)];
    }
}

@compute @workgroup_size(4, 1, 1)
fn add_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    add_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn add_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: f32 = a[args.a_start + u32(i)] + b[args.b_start + u32(i)];
        let value_next: f32 = a[args.a_start + u32(i_next)] + b[args.b_start + u32(i_next)];
        ab[args.ab_start + u32(i)] = value;
        ab[args.ab_start + u32(i_next)] = value_next;
    } else {
        add_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            add_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn from_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = args_1.lo + i32(group.x + 65535 * group.y + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.hi) {
        out[args_1.out_start + u32(i)] = i;
    }
}
