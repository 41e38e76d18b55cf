// WGSL, made from OKL.
// @kernel ghosts: ghosts_0
// @kernel in_place: in_place_0
// @kernel two_pointers: two_pointers_0
// @kernel changed: changed_0
// @kernel after_another: after_another_0

struct Args {
    n: i32,
    u_prev_start: u32,
    u_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    u_start: u32,
    first_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    from_1_start: u32,
    to_start: u32,
    first_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    n: i32,
    from_1_start: u32,
    to_start: u32,
    ends_start: u32,
    first_x: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(1) var<storage, read_write> u_prev: array<f64>;
@group(0) @binding(2) var<storage, read_write> u: array<f64>;
@group(0) @binding(1) var<storage, read_write> u_1: array<f64>;
@group(0) @binding(2) var<storage, read_write> first: array<f64>;
@group(0) @binding(1) var<storage, read_write> from_1: array<f64>;
@group(0) @binding(2) var<storage, read_write> to: array<f64>;
@group(0) @binding(3) var<storage, read_write> first_1: array<f64>;
@group(0) @binding(3) var<storage, read_write> ends: array<f64>;

@compute @workgroup_size(2, 1, 1)
fn ghosts_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 1 + i32(group.x + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n + 1) {
        let here: f64 = u_prev[args.u_prev_start + u32(i)];
        u[args.u_start + u32(i)] = here + 1.0lf;
        if (i == 1) {
            u[args.u_start + u32(args.n + 1)] = here;
        }
        if (i == args.n) {
            u[args.u_start] = here;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn in_place_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_1.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        let here: f64 = u_1[args_1.u_start + u32(i)];
        u_1[args_1.u_start + u32(i)] = 2.0lf * here;
        if (i == 0) {
            first[args_1.first_start] = here;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn two_pointers_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_2.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        let here: f64 = from_1[args_2.from_1_start + u32(i)];
        to[args_2.to_start + u32(i)] = 2.0lf * here;
        if (i == 0) {
            first_1[args_2.first_start] = here;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn changed_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_2.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        var x: f64 = from_1[args_2.from_1_start + u32(i)];
        x += 1.0lf;
        let here: f64 = x;
        to[args_2.to_start + u32(i)] = here;
        if (i == 0) {
            first_1[args_2.first_start] = here;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn after_another_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_3.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_3.n) {
        let here: f64 = from_1[args_3.from_1_start + u32(i)];
        to[args_3.to_start + u32(i)] = here;
        if (i == 0 || i == args_3.n - 1) {
            ends[args_3.ends_start + u32(select(1, 0, i == 0))] = here;
        }
    }
}
