// WGSL, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0
// @kernel stop_twice: stop_twice_0
// @kernel from_loop: from_loop_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> out_1: array<i32>;
var<workgroup> s: array<i32, 4>;

@compute @workgroup_size(4, 1, 1)
fn skip_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        if (!(i % 2 != 0)) {
            out[args.out_start + u32(i)] += 1;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(i)] += 10;
    }
}

@compute @workgroup_size(4, 1, 1)
fn stop_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var done: bool;
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    {
        let i: i32 = i32(item.x);
        done = false;
        s[i] = x[args_1.x_start + u32(4 * o + i)];
        if (4 * o + i >= args_1.n) {
            done = true;
        } else {
            out_1[args_1.out_start + u32(4 * o + i)] += s[i];
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            out_1[args_1.out_start + u32(4 * o + i)] += s[3 - i] + 1;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn stop_twice_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var done: bool;
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    {
        let i: i32 = i32(item.x);
        done = false;
        if (i == 0) {
            done = true;
        } else {
            out[args_2.out_start + u32(4 * o + i)] += 1;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            if (i == 1) {
                done = true;
            } else {
                out[args_2.out_start + u32(4 * o + i)] += 2;
            }
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            out[args_2.out_start + u32(4 * o + i)] += 8;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn from_loop_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var done: bool;
    {
        let i: i32 = i32(item.x);
        var ended: bool = false;
        done = false;
        for (var k: i32 = 0; k < 10; k += 1) {
            if (k == i && i < 2) {
                done = true;
                ended = true;
                break;
            }
            if (k == 2) {
                break;
            }
            out[args.out_start + u32(i)] += 1;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            out[args.out_start + u32(i)] += 100;
        }
    }
}
