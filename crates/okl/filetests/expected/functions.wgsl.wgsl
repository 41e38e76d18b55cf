// WGSL, made from OKL.
// @kernel apply: apply_0
// @kernel powers: powers_0
// @kernel gcds: gcds_0

struct Args {
    n: i32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    a_start: u32,
    b_start: u32,
    first_x: u32,
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

@compute @workgroup_size(4, 1, 1)
fn apply_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        out[args.out_start + u32(i)] = twice(x[args.x_start + u32(i)]);
    }
}

@compute @workgroup_size(4, 1, 1)
fn powers_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        out_1[args_1.out_start + u32(i)] = power(3, i);
    }
}

@compute @workgroup_size(4, 1, 1)
fn gcds_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args_2.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        a[args_2.a_start + u32(i)] = gcd(a[args_2.a_start + u32(i)], b[args_2.b_start + u32(i)]);
    }
}
