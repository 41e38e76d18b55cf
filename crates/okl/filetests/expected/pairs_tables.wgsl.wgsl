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

@compute @workgroup_size(4, 1, 1)
fn by_item_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        let weight: i32 = weights[i % 3];
        v[args_1.v_start + u32(i)] = weight * u[args_1.u_start + u32(i)];
    }
}
