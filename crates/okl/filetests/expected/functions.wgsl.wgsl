// WGSL, made from OKL.
// @kernel apply: apply_0
// @kernel powers: powers_0
// @kernel gcds: gcds_0

struct Args {
    n: i32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    a_start: u32,
    b_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;
@group(0) @binding(1) var<storage, read_write> out_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> b: array<i32>;

fn square(x: f64) -> f64 {
    return x * x;
}

fn twice(x: f64) -> f64 {
    return square(x) + square(-x);
}

fn power(base: i32, exponent_given: i32) -> i32 {
    var exponent = exponent_given;
    var result: i32 = 1;
    while (exponent > 0) {
        result *= base;
        exponent -= 1;
    }
    return result;
}

fn gcd(a_given: i32, b_given: i32) -> i32 {
    var a = a_given;
    var b = b_given;
    loop {
        if (b == 0) {
            return a;
        }
        let r: i32 = a % b;
        a = b;
        b = r;
    }
    return i32();
}

fn apply_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        out[args.out_start + u32(i)] = twice(x[args.x_start + u32(i)]);
    }
}

@compute @workgroup_size(4, 1, 1)
fn apply_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    apply_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn apply_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: f64 = twice(x[args.x_start + u32(i)]);
        let value_next: f64 = twice(x[args.x_start + u32(i_next)]);
        out[args.out_start + u32(i)] = value;
        out[args.out_start + u32(i_next)] = value_next;
    } else {
        apply_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            apply_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn powers_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        out_1[args_1.out_start + u32(i)] = power(3, i);
    }
}

@compute @workgroup_size(4, 1, 1)
fn powers_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    powers_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn powers_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let value: i32 = power(3, i);
        let value_next: i32 = power(3, i_next);
        out_1[args_1.out_start + u32(i)] = value;
        out_1[args_1.out_start + u32(i_next)] = value_next;
    } else {
        powers_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            powers_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn gcds_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        a[args_2.a_start + u32(i)] = gcd(a[args_2.a_start + u32(i)], b[args_2.b_start + u32(i)]);
    }
}

@compute @workgroup_size(4, 1, 1)
fn gcds_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    gcds_0_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn gcds_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_2.end_x && i < args_2.n && i_next < args_2.n) {
        let value: i32 = gcd(a[args_2.a_start + u32(i)], b[args_2.b_start + u32(i)]);
        let value_next: i32 = gcd(a[args_2.a_start + u32(i_next)], b[args_2.b_start + u32(i_next)]);
        a[args_2.a_start + u32(i)] = value;
        a[args_2.a_start + u32(i_next)] = value_next;
    } else {
        gcds_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            gcds_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
