// WGSL, made from OKL.
// @kernel functions: functions_0
// @kernel structs: structs_0

struct Pair_int {
    a: i32,
    b: i32,
}

struct Pair_float {
    a: f32,
    b: f32,
}

struct Row_float_2 {
    values: array<f32, 2>,
    ends: Pair_float,
}

struct Pair_struct_Pair_int {
    a: Pair_int,
    b: Pair_int,
}

struct Row_struct_Pair_int_3 {
    values: array<Pair_int, 3>,
    ends: Pair_struct_Pair_int,
}

struct Args {
    x_start: u32,
    k_start: u32,
    y_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    z_start: u32,
    w_start: u32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> k: array<i32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read_write> z: array<Pair_int>;
@group(0) @binding(2) var<storage, read_write> w: array<Pair_float>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

fn total_of_x(x_start: u32, n: i32) -> f32 {
    var sum_2: f32 = 0.0f;
    for (var i: i32 = 0; i < n; i += 1) {
        sum_2 += x[x_start + u32(i)];
    }
    return sum_2;
}

fn total_of_k(x_start: u32, n: i32) -> i32 {
    var sum_2: i32 = 0;
    for (var i: i32 = 0; i < n; i += 1) {
        sum_2 += k[x_start + u32(i)];
    }
    return sum_2;
}

fn as_1(x: f32) -> i32 {
    return i32(x);
}

fn square(x: f32) -> f32 {
    return x * x;
}

fn n_larger(a: i32, b: i32) -> i32 {
    return select(b, a, a > b);
}

fn square_1(x: i32) -> i32 {
    return x * x;
}

fn power(x: f32) -> f32 {
    var result: f32 = 1.0f;
    for (var i: i32 = 0; i < 2; i += 1) {
        result *= x;
    }
    return result;
}

fn put_of_y(to_start: u32, value: f32) {
    y[to_start] = value;
}

fn sum(p: Pair_int) -> i32 {
    return p.a + p.b;
}

fn sum_1(p: Pair_float) -> f32 {
    return p.a + p.b;
}

@compute @workgroup_size(2, 1, 1)
fn functions_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 1) {
        y[args.y_start] = total_of_x(args.x_start, 2);
        y[args.y_start + 1u] = f32(total_of_k(args.k_start, 2));
        y[args.y_start + 2u] = f32(as_1(x[args.x_start] + 2.0f));
        y[args.y_start + 3u] = square(2.5f) + 0.25f;
        y[args.y_start + 4u] = f32(n_larger(3, 6));
        y[args.y_start + 5u] = f32(square_1(3));
        y[args.y_start + 6u] = power(2.0f);
        put_of_y(args.y_start + 7u, power(4.5f) + 2.25f);
    }
}

fn structs_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        let row: Row_float_2 = Row_float_2(array<f32, 2>(1.0f, 2.0f), Pair_float(3.0f, 4.0f));
        var pairs: Row_struct_Pair_int_3;
        pairs.values[i] = z[args_1.z_start + u32(i)];
        if (i == 0) {
            out[args_1.out_start] = f32(sum(z[args_1.z_start])) + sum_1(w[args_1.w_start]) - row.ends.b - 1.0f;
            out[args_1.out_start + 1u] = row.values[0] + row.values[1] + f32(pairs.values[0].a) + 2.0f;
        } else {
            out[args_1.out_start + 2u] = f32(sum(pairs.values[1]));
            out[args_1.out_start + 3u] = sum_1(w[args_1.w_start + 1u]) - row.ends.a;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn structs_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    structs_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn structs_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let row: Row_float_2 = Row_float_2(array<f32, 2>(1.0f, 2.0f), Pair_float(3.0f, 4.0f));
        let row_next: Row_float_2 = Row_float_2(array<f32, 2>(1.0f, 2.0f), Pair_float(3.0f, 4.0f));
        var pairs: Row_struct_Pair_int_3;
        var pairs_next: Row_struct_Pair_int_3;
        let value: Pair_int = z[args_1.z_start + u32(i)];
        let value_next: Pair_int = z[args_1.z_start + u32(i_next)];
        pairs.values[i] = value;
        pairs_next.values[i_next] = value_next;
        if (i == 0) {
            out[args_1.out_start] = f32(sum(z[args_1.z_start])) + sum_1(w[args_1.w_start]) - row.ends.b - 1.0f;
            out[args_1.out_start + 1u] = row.values[0] + row.values[1] + f32(pairs.values[0].a) + 2.0f;
        } else {
            out[args_1.out_start + 2u] = f32(sum(pairs.values[1]));
            out[args_1.out_start + 3u] = sum_1(w[args_1.w_start + 1u]) - row.ends.a;
        }
        if (i_next == 0) {
            out[args_1.out_start] = f32(sum(z[args_1.z_start])) + sum_1(w[args_1.w_start]) - row_next.ends.b - 1.0f;
            out[args_1.out_start + 1u] = row_next.values[0] + row_next.values[1] + f32(pairs_next.values[0].a) + 2.0f;
        } else {
            out[args_1.out_start + 2u] = f32(sum(pairs_next.values[1]));
            out[args_1.out_start + 3u] = sum_1(w[args_1.w_start + 1u]) - row_next.ends.a;
        }
    } else {
        structs_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            structs_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
