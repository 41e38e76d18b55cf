// WGSL, made from OKL.
// @kernel reverse: reverse_0
// @kernel transpose: transpose_0
// @kernel scalar: scalar_0

struct Args {
    x_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    in_1_start: u32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
var<workgroup> s: array<f64, 4>;
@group(0) @binding(0) var<storage, read_write> in_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
var<workgroup> s_1: array<i32, 20>;
var<workgroup> total: i32;

@compute @workgroup_size(4, 1, 1)
fn reverse_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        s[i] = x[args.x_start + u32(4 * o + i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        x[args.x_start + u32(4 * o + i)] = s[3 - i];
    }
}

@compute @workgroup_size(4, 4, 1)
fn transpose_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        s_1[5 * j + i] = in_1[args_1.in_1_start + u32(4 * j + i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        out[args_1.out_start + u32(4 * j + i)] = s_1[5 * i + j];
    }
}

@compute @workgroup_size(2, 1, 1)
fn scalar_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    {
        let i: i32 = i32(item.x);
        if (i == 1) {
            total = 7 * o;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args_2.out_start + u32(2 * o + i)] = total;
    }
}
