// WGSL, made from OKL.
// @kernel all: all_0
// @kernel from_outside: from_outside_0

struct math_Pair {
    a: f64,
    b: f64,
}

struct Args {
    n: i32,
    x_start: u32,
    y_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    y_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> y: array<f64>;
@group(0) @binding(1) var<storage, read_write> y_1: array<f64>;
const math_table: array<f64, 3> = array<f64, 3>(1.0lf, 2.0lf, 4.0lf);

fn okl_isnan_f64(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn okl_fmax_f64(a: f64, b: f64) -> f64 {
    return select(b, a, a > b || okl_isnan_f64(b));
}

fn math_square(x: f64) -> f64 {
    return x * x;
}

fn math_detail_twice(x: f64) -> f64 {
    return 2.0lf * math_square(x) + 5.0lf;
}

fn math_all(x: f64) -> f64 {
    let p: math_Pair = math_Pair(math_detail_twice(x), math_table[2]);
    return p.a + p.b;
}

fn other_deep_factor(x: i32) -> i32 {
    return 2 * x;
}

fn other_deep_square(x: f64) -> f64 {
    return -x;
}

fn all_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var p: math_Pair = math_Pair(math_detail_twice(1.0lf), 0.0lf);
        p.b = okl_fmax_f64(x[args.x_start + u32(i)], 0.0lf) * 7.0lf;
        y[args.y_start + u32(i)] = p.a + p.b + math_all(2.0lf) + 5.0lf - 2.0lf - f64(other_deep_factor(1)) + 3.0lf;
    }
}

@compute @workgroup_size(2, 1, 1)
fn all_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    all_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn all_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        var p: math_Pair = math_Pair(math_detail_twice(1.0lf), 0.0lf);
        var p_next: math_Pair = math_Pair(math_detail_twice(1.0lf), 0.0lf);
        let value: f64 = okl_fmax_f64(x[args.x_start + u32(i)], 0.0lf) * 7.0lf;
        let value_next: f64 = okl_fmax_f64(x[args.x_start + u32(i_next)], 0.0lf) * 7.0lf;
        p.b = value;
        p_next.b = value_next;
        let value_1: f64 = p.a + p.b + math_all(2.0lf) + 5.0lf - 2.0lf - f64(other_deep_factor(1)) + 3.0lf;
        let value_next_1: f64 = p_next.a + p_next.b + math_all(2.0lf) + 5.0lf - 2.0lf - f64(other_deep_factor(1)) + 3.0lf;
        y[args.y_start + u32(i)] = value_1;
        y[args.y_start + u32(i_next)] = value_next_1;
    } else {
        all_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            all_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn from_outside_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        y_1[args_1.y_start + u32(i)] = other_deep_square(10.0lf) + other_deep_square(4.0lf);
    }
}

@compute @workgroup_size(2, 1, 1)
fn from_outside_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    from_outside_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn from_outside_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let value: f64 = other_deep_square(10.0lf) + other_deep_square(4.0lf);
        let value_next: f64 = other_deep_square(10.0lf) + other_deep_square(4.0lf);
        y_1[args_1.y_start + u32(i)] = value;
        y_1[args_1.y_start + u32(i_next)] = value_next;
    } else {
        from_outside_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            from_outside_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
