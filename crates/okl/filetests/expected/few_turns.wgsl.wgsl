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
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    u_start: u32,
    first_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    from_1_start: u32,
    to_start: u32,
    first_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    n: i32,
    from_1_start: u32,
    to_start: u32,
    ends_start: u32,
    first_x: u32,
    end_x: u32,
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

fn ghosts_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = 1 + i32(group.x) * 2;
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
fn ghosts_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    ghosts_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn ghosts_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = 1 + i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = 1 + i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n + 1 && i_next < args.n + 1) {
        let here: f64 = u_prev[args.u_prev_start + u32(i)];
        let value: f64 = here + 1.0lf;
        let here_next: f64 = u_prev[args.u_prev_start + u32(i_next)];
        let value_next: f64 = here_next + 1.0lf;
        u[args.u_start + u32(i)] = value;
        u[args.u_start + u32(i_next)] = value_next;
        if (i == 1) {
            u[args.u_start + u32(args.n + 1)] = here;
        }
        if (i_next == 1) {
            u[args.u_start + u32(args.n + 1)] = here_next;
        }
        if (i == args.n) {
            u[args.u_start] = here;
        }
        if (i_next == args.n) {
            u[args.u_start] = here_next;
        }
    } else {
        ghosts_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            ghosts_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn in_place_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
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
fn in_place_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    in_place_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn in_place_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let here: f64 = u_1[args_1.u_start + u32(i)];
        let value: f64 = 2.0lf * here;
        let here_next: f64 = u_1[args_1.u_start + u32(i_next)];
        let value_next: f64 = 2.0lf * here_next;
        u_1[args_1.u_start + u32(i)] = value;
        u_1[args_1.u_start + u32(i_next)] = value_next;
        if (i == 0) {
            first[args_1.first_start] = here;
        }
        if (i_next == 0) {
            first[args_1.first_start] = here_next;
        }
    } else {
        in_place_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            in_place_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn two_pointers_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
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
fn two_pointers_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    two_pointers_0_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn two_pointers_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_2.end_x && i < args_2.n && i_next < args_2.n) {
        let here: f64 = from_1[args_2.from_1_start + u32(i)];
        let value: f64 = 2.0lf * here;
        let here_next: f64 = from_1[args_2.from_1_start + u32(i_next)];
        let value_next: f64 = 2.0lf * here_next;
        to[args_2.to_start + u32(i)] = value;
        to[args_2.to_start + u32(i_next)] = value_next;
        if (i == 0) {
            first_1[args_2.first_start] = here;
        }
        if (i_next == 0) {
            first_1[args_2.first_start] = here_next;
        }
    } else {
        two_pointers_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            two_pointers_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn changed_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
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
fn changed_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    changed_0_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn changed_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_2.end_x && i < args_2.n && i_next < args_2.n) {
        var x: f64 = from_1[args_2.from_1_start + u32(i)];
        let value: f64 = x + 1.0lf;
        var x_next: f64 = from_1[args_2.from_1_start + u32(i_next)];
        let value_next: f64 = x_next + 1.0lf;
        x = value;
        x_next = value_next;
        let here: f64 = x;
        let value_1: f64 = here;
        let here_next: f64 = x_next;
        let value_1_next: f64 = here_next;
        to[args_2.to_start + u32(i)] = value_1;
        to[args_2.to_start + u32(i_next)] = value_1_next;
        if (i == 0) {
            first_1[args_2.first_start] = here;
        }
        if (i_next == 0) {
            first_1[args_2.first_start] = here_next;
        }
    } else {
        changed_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            changed_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn after_another_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_3.n) {
        let here: f64 = from_1[args_3.from_1_start + u32(i)];
        to[args_3.to_start + u32(i)] = here;
        if (i == 0 || i == args_3.n - 1) {
            ends[args_3.ends_start + u32(select(1, 0, i == 0))] = here;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn after_another_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    after_another_0_group(vec3<u32>(group.x + 65535 * group.y + args_3.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn after_another_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_3.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_3.end_x && i < args_3.n && i_next < args_3.n) {
        let here: f64 = from_1[args_3.from_1_start + u32(i)];
        let value: f64 = here;
        let here_next: f64 = from_1[args_3.from_1_start + u32(i_next)];
        let value_next: f64 = here_next;
        to[args_3.to_start + u32(i)] = value;
        to[args_3.to_start + u32(i_next)] = value_next;
        if (i == 0 || i == args_3.n - 1) {
            ends[args_3.ends_start + u32(select(1, 0, i == 0))] = here;
        }
        if (i_next == 0 || i_next == args_3.n - 1) {
            ends[args_3.ends_start + u32(select(1, 0, i_next == 0))] = here_next;
        }
    } else {
        after_another_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_3.end_x) {
            after_another_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
