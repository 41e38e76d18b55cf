// WGSL, made from OKL.
// @kernel skip: skip_0
// @kernel stop: stop_0

struct Args {
    x_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> x: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn skip_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var done: bool;
    {
        let i: i32 = i32(item.x);
        done = false;
        if (i == 1) {
            done = true;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            x[args.x_start + u32(i)] += 1;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn stop_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var done: bool;
    {
        let i: i32 = i32(item.x);
        done = false;
        if (i == 1) {
            done = true;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            x[args.x_start + u32(i)] += 1;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (!done) {
            x[args.x_start + u32(i)] += 10;
        }
    }
}
