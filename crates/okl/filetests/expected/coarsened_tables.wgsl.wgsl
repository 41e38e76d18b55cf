// WGSL, made from OKL.
// @kernel by_group: by_group_0
// @kernel by_item: by_item_0

struct Args {
    u_start: u32,
    v_start: u32,
    first_x: u32,
    first_y: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    u_start: u32,
    v_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> u: array<i32>;
@group(0) @binding(2) var<storage, read_write> v: array<i32>;
const weights: array<i32, 3> = array<i32, 3>(10, 20, 30);

@compute @workgroup_size(1, 1, 1)
fn by_group_0(@builtin(workgroup_id) group: vec3<u32>) {
    let b: i32 = i32(group.x + args.first_x);
    let k: i32 = i32(group.y + args.first_y);
    let weight: i32 = weights[b];
    v[args.v_start + u32(k * 3 + b)] = weight * u[args.u_start + u32(k * 3 + b)];
}

fn by_item_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        let weight: i32 = weights[i % 3];
        v[args_1.v_start + u32(i)] = weight * u[args_1.u_start + u32(i)];
    }
}

@compute @workgroup_size(4, 1, 1)
fn by_item_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    by_item_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn by_item_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let weight: i32 = weights[i % 3];
        let value: i32 = weight * u[args_1.u_start + u32(i)];
        let weight_next: i32 = weights[i_next % 3];
        let value_next: i32 = weight_next * u[args_1.u_start + u32(i_next)];
        v[args_1.v_start + u32(i)] = value;
        v[args_1.v_start + u32(i_next)] = value_next;
    } else {
        by_item_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            by_item_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
