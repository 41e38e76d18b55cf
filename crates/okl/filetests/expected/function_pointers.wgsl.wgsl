// WGSL, made from OKL.
// @kernel memories: memories_0
// @kernel columns: columns_0

struct Args {
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    a_start: u32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;
var<workgroup> s: array<f64, 4>;
var<private> kept: array<f64, 2>;
var<private> mine: array<f64, 3>;
@group(0) @binding(0) var<storage, read_write> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<i32>;
var<private> copy: array<i32, 12>;

fn set_of_s(place_start: u32, value: f64) {
    s[place_start] = value;
}

fn set_of_kept(place_start: u32, value: f64) {
    kept[place_start] = value;
}

fn sum_of_s(n: i32, x_start: u32) -> f64 {
    var total: f64 = 0.0lf;
    for (var k: i32 = 0; k < n; k += 1) {
        total += s[x_start + u32(k)];
    }
    return total;
}

fn set_of_mine(place_start: u32, value: f64) {
    mine[place_start] = value;
}

fn add_to_of_mine(x_start: u32, at: i32, value: f64) {
    set_of_mine(x_start + u32(at), mine[x_start + u32(at)] + value);
}

fn sum_of_x(n: i32, x_start: u32) -> f64 {
    var total: f64 = 0.0lf;
    for (var k: i32 = 0; k < n; k += 1) {
        total += x[x_start + u32(k)];
    }
    return total;
}

fn add_to_of_kept(x_start: u32, at: i32, value: f64) {
    set_of_kept(x_start + u32(at), kept[x_start + u32(at)] + value);
}

fn sum_of_mine(n: i32, x_start: u32) -> f64 {
    var total: f64 = 0.0lf;
    for (var k: i32 = 0; k < n; k += 1) {
        total += mine[x_start + u32(k)];
    }
    return total;
}

fn sum_of_kept(n: i32, x_start: u32) -> f64 {
    var total: f64 = 0.0lf;
    for (var k: i32 = 0; k < n; k += 1) {
        total += kept[x_start + u32(k)];
    }
    return total;
}

fn set_of_out(place_start: u32, value: f64) {
    out[place_start] = value;
}

fn add_to_of_out(x_start: u32, at: i32, value: f64) {
    set_of_out(x_start + u32(at), out[x_start + u32(at)] + value);
}

fn column_sum_of_copy(a_start: u32, rows: i32, column: i32) -> i32 {
    var total: i32 = 0;
    for (var r: i32 = 0; r < rows; r += 1) {
        total += copy[a_start + u32(4 * r + column)];
    }
    return total;
}

@compute @workgroup_size(4, 1, 1)
fn memories_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        set_of_s(u32(i), x[args.x_start + u32(4 * o + i)]);
        set_of_kept(0u, f64(i));
        set_of_kept(1u, 0.0lf);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        mine = array<f64, 3>(1.0lf, 2.0lf, 3.0lf);
        add_to_of_mine(0u, 1, sum_of_s(4, 0u));
        add_to_of_kept(0u, 1, sum_of_x(4, args.x_start + u32(4 * o)) * 4.0lf);
        add_to_of_out(args.out_start + u32(4 * o), i, sum_of_mine(3, 0u) + sum_of_kept(2, 0u));
    }
}

@compute @workgroup_size(4, 1, 1)
fn columns_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    for (var r: i32 = 0; r < 3; r += 1) {
        for (var c: i32 = 0; c < 4; c += 1) {
            copy[4 * r + c] = a[args_1.a_start + u32(4 * r + c)];
        }
    }
    out_1[args_1.out_start + u32(i)] = column_sum_of_copy(0u, 3, i);
}
