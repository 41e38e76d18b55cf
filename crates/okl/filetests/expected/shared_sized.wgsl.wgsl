// WGSL, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel pairs: pairs_0
// @kernel late: late_0

struct pair {
    first: i32,
    second: i32,
}

struct Args {
    n: i32,
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    rows: i32,
    columns: i32,
    a_start: u32,
    b_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    x_start: u32,
    y_start: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    first: i32,
    x_start: u32,
    y_start: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> s: array<f32, 5>;
@group(0) @binding(2) var<storage, read_write> a: array<i32>;
@group(0) @binding(3) var<storage, read_write> b: array<i32>;
var<workgroup> s_1: array<i32, 15>;
@group(0) @binding(1) var<storage, read_write> x_1: array<i32>;
@group(0) @binding(2) var<storage, read_write> y_1: array<i32>;
var<workgroup> s_2: array<pair, 8>;
@group(0) @binding(2) var<storage, read_write> x_2: array<i32>;
@group(0) @binding(3) var<storage, read_write> y_2: array<i32>;
var<workgroup> s_3: array<i32, 4>;

fn read_of_s(p_start: u32, i: i32) -> i32 {
    return s_2[p_start + u32(i)].first + 10 * s_2[p_start + u32(i)].second;
}

override reverse_0_x: u32 = 1u;
override reverse_0_y: u32 = 1u;
override reverse_0_z: u32 = 1u;

@compute @workgroup_size(reverse_0_x, reverse_0_y, reverse_0_z)
fn reverse_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        s[i] = x[args.x_start + u32(args.n * o + i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        y[args.y_start + u32(args.n * o + i)] = s[args.n - 1 - i];
    }
}

override transpose_0_x: u32 = 1u;
override transpose_0_y: u32 = 1u;
override transpose_0_z: u32 = 1u;

@compute @workgroup_size(transpose_0_x, transpose_0_y, transpose_0_z)
fn transpose_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let j: i32 = i32(item.x);
        let i: i32 = i32(item.y);
        s_1[5 * i + j] = a[args_1.a_start + u32(i * args_1.columns + j)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let j: i32 = i32(item.x);
        let i: i32 = i32(item.y);
        let row_offset: i64 = i64(i) * 5li;
        b[args_1.b_start + u32(j * args_1.rows + i)] = s_1[i32(row_offset) + j];
    }
}

override pairs_0_x: u32 = 1u;
override pairs_0_y: u32 = 1u;
override pairs_0_z: u32 = 1u;

@compute @workgroup_size(pairs_0_x, pairs_0_y, pairs_0_z)
fn pairs_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        s_2[args_2.n - 1 - i].second = x_1[args_2.x_start + u32(i)];
        s_2[i].first = x_1[args_2.x_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        y_1[args_2.y_start + u32(i)] = read_of_s(0u, i);
    }
}

override late_0_x: u32 = 1u;
override late_0_y: u32 = 1u;
override late_0_z: u32 = 1u;

@compute @workgroup_size(late_0_x, late_0_y, late_0_z)
fn late_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        s_3[i] = x_2[args_3.x_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        y_2[args_3.y_start + u32(i)] = s_3[args_3.first];
    }
}
