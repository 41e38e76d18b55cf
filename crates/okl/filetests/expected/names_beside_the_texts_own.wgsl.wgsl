// WGSL, made from OKL.
// @kernel k: k_0
// @kernel first: first_0
// @kernel chosen: chosen_0

struct kernel {
    local: i32,
    fn_1: i32,
    get_1: i32,
}

struct Args {
    u_start_1: u32,
    u_start: i32,
    first_x: i32,
    end_x: i32,
    args_start: u32,
    group: i32,
    item: i32,
    v_start: u32,
    first_x_1: u32,
    end_x_1: u32,
}

var<immediate> args_1: Args;

struct Args_1 {
    n: i32,
    fn_start: u32,
    v_okl_max_i32: i32,
    loop_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_2: Args_1;

struct Args_2 {
    n: i32,
    double2_start: u32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_3: Args_2;

@group(0) @binding(0) var<storage, read_write> u: array<i32>;
@group(0) @binding(4) var<storage, read_write> args: array<i32>;
@group(0) @binding(7) var<storage, read_write> v: array<i32>;
@group(0) @binding(1) var<storage, read_write> fn_1: array<i32>;
@group(0) @binding(3) var<storage, read_write> loop_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> double2: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

fn v_okl_min_i32_of_args(at_start: u32, dims: i32) -> i32 {
    return args[at_start + u32(dims)];
}

fn k_0_1(begin: i32) -> i32 {
    return begin + 1;
}

fn k_0_group(group: vec3<u32>, item: vec3<u32>) {
    let launch: i32 = i32(group.x);
    let threadIdx: i32 = i32(item.x);
    let i: i32 = 2 * launch + threadIdx;
    var let_1: kernel;
    let_1.local = v_okl_min_i32_of_args(args_1.args_start, i);
    let_1.fn_1 = args_1.group;
    let_1.get_1 = args_1.item;
    v[args_1.v_start + u32(i)] = u[args_1.u_start_1 + u32(i)] + args_1.u_start + args_1.first_x + args_1.end_x + let_1.local + let_1.fn_1 + let_1.get_1 - k_0_1(0) + 1 - 0;
}

@compute @workgroup_size(2, 1, 1)
fn k_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    k_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x_1, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn k_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x_1 + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let launch: i32 = i32(group_x);
    let threadIdx: i32 = i32(item.x);
    let i: i32 = 2 * launch + threadIdx;
    let launch_next: i32 = i32(next_x);
    let threadIdx_next: i32 = i32(item.x);
    let i_next: i32 = 2 * launch_next + threadIdx_next;
    if (next_x < args_1.end_x_1) {
        var let_1: kernel;
        var let_next: kernel;
        let value: i32 = v_okl_min_i32_of_args(args_1.args_start, i);
        let value_next: i32 = v_okl_min_i32_of_args(args_1.args_start, i_next);
        let_1.local = value;
        let_next.local = value_next;
        let value_1: i32 = args_1.group;
        let value_next_1: i32 = args_1.group;
        let_1.fn_1 = value_1;
        let_next.fn_1 = value_next_1;
        let value_2: i32 = args_1.item;
        let value_next_2: i32 = args_1.item;
        let_1.get_1 = value_2;
        let_next.get_1 = value_next_2;
        let value_3: i32 = u[args_1.u_start_1 + u32(i)] + args_1.u_start + args_1.first_x + args_1.end_x + let_1.local + let_1.fn_1 + let_1.get_1 - k_0_1(0) + 1 - 0;
        let value_next_3: i32 = u[args_1.u_start_1 + u32(i_next)] + args_1.u_start + args_1.first_x + args_1.end_x + let_next.local + let_next.fn_1 + let_next.get_1 - k_0_1(0) + 1 - 0;
        v[args_1.v_start + u32(i)] = value_3;
        v[args_1.v_start + u32(i_next)] = value_next_3;
    } else {
        k_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x_1) {
            k_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn first_0_group(group: vec3<u32>, item: vec3<u32>) {
    let next_block: i32 = i32(group.x) * 2;
    let next: i32 = next_block + i32(item.x);
    if (next < args_2.n) {
        loop_1[args_2.loop_start + u32(next)] = max(fn_1[args_2.fn_start + u32(next)], args_2.v_okl_max_i32);
    }
}

@compute @workgroup_size(2, 1, 1)
fn first_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    first_0_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn first_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let next_block: i32 = i32(group_x) * 2;
    let next: i32 = next_block + i32(item.x);
    let next_block_next: i32 = i32(next_x) * 2;
    let next_next: i32 = next_block_next + i32(item.x);
    if (next_x < args_2.end_x && next < args_2.n && next_next < args_2.n) {
        let value: i32 = max(fn_1[args_2.fn_start + u32(next)], args_2.v_okl_max_i32);
        let value_next: i32 = max(fn_1[args_2.fn_start + u32(next_next)], args_2.v_okl_max_i32);
        loop_1[args_2.loop_start + u32(next)] = value;
        loop_1[args_2.loop_start + u32(next_next)] = value_next;
    } else {
        first_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            first_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn chosen_0_group(group: vec3<u32>, item: vec3<u32>) {
    let end_block: i32 = i32(group.x) * 2;
    let end: i32 = end_block + i32(item.x);
    if (end < args_3.n) {
        let x: f64 = double2[args_3.double2_start + u32(end)];
        out[args_3.out_start + u32(end)] = select(2.0lf, 1.0lf, !(x == 0.0lf));
    }
}

@compute @workgroup_size(2, 1, 1)
fn chosen_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    chosen_0_group(vec3<u32>(group.x + 65535 * group.y + args_3.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn chosen_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_3.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let end_block: i32 = i32(group_x) * 2;
    let end: i32 = end_block + i32(item.x);
    let end_block_next: i32 = i32(next_x) * 2;
    let end_next: i32 = end_block_next + i32(item.x);
    if (next_x < args_3.end_x && end < args_3.n && end_next < args_3.n) {
        let x: f64 = double2[args_3.double2_start + u32(end)];
        let value: f64 = select(2.0lf, 1.0lf, !(x == 0.0lf));
        let x_next: f64 = double2[args_3.double2_start + u32(end_next)];
        let value_next: f64 = select(2.0lf, 1.0lf, !(x_next == 0.0lf));
        out[args_3.out_start + u32(end)] = value;
        out[args_3.out_start + u32(end_next)] = value_next;
    } else {
        chosen_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_3.end_x) {
            chosen_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
