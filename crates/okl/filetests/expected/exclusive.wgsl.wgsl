// WGSL, made from OKL.
// @kernel scalars: scalars_0
// @kernel arrays: arrays_0
// @kernel tables: tables_0

struct Args {
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn scalars_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var a: f64;
    var b: f64;
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        b = 1.0lf;
        a = 2.0lf * x[args.x_start + u32(4 * o + i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(4 * o + i)] = a + b;
    }
}

@compute @workgroup_size(4, 1, 1)
fn arrays_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var a: array<i32, 3>;
    {
        let i: i32 = i32(item.x);
        for (var k: i32 = 0; k < 3; k += 1) {
            a[k] = 10 * i + k;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out_1[args_1.out_start + u32(i)] = a[0] + a[1] + a[2];
    }
}

@compute @workgroup_size(3, 1, 1)
fn tables_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var t: array<i32, 6>;
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    {
        let i: i32 = i32(item.x);
        t[0] = 0;
        t[1] = 1;
        t[2] = 2;
        t[3] = 10;
        t[4] = 20;
        t[5] = 30;
        var shift: i32 = 10 * o;
        t[i] += shift * 3;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out_1[args_2.out_start + u32(3 * o + i)] = t[i] + select(t[3 + (i - 1)], 0, i == 0);
    }
}
