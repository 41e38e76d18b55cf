// WGSL, made from OKL.
// @kernel copy: copy_0
// @kernel rows: rows_0
// @kernel walk: walk_0

struct Args {
    n: i32,
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    x_start: u32,
    out_start: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> y: array<f64>;
@group(0) @binding(0) var<storage, read_write> x_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn copy_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        y[args.y_start + u32(i)] = x[args.x_start + u32(i)] + 1.0lf;
    }
}

@compute @workgroup_size(1, 1, 1)
fn rows_0(@builtin(workgroup_id) group: vec3<u32>) {
    let r: i32 = i32(group.x + args_1.first_x);
    let row_offset: i32 = 4 * r;
    var sum: i32 = 0;
    for (var c: i32 = 0; c < 4; c += 1) {
        sum += x_1[args_1.x_start + u32(row_offset + c)];
    }
    out[args_1.out_start + u32(r)] = sum;
}

@compute @workgroup_size(1, 1, 1)
fn walk_0() {
    var p_offset: i64 = 0li;
    var sum: i32 = 0;
    while (x_1[args_2.x_start + u32(i32(p_offset))] != 0) {
        let before: i64 = p_offset;
        p_offset = p_offset + 1li;
        sum += x_1[args_2.x_start + u32(i32(before))];
    }
    out[args_2.out_start] = sum;
    out[args_2.out_start + 1u] = i32(p_offset);
}
