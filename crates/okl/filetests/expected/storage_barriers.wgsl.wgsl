// WGSL, made from OKL.
// @kernel kept: kept_0
// @kernel turned: turned_0

struct Args {
    x_start: u32,
    y_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    x_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> y: array<i32>;
@group(0) @binding(1) var<storage, read_write> x_1: array<i32>;
var<workgroup> s: array<i32, 4>;

@compute @workgroup_size(4, 1, 1)
fn kept_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        x[args.x_start + u32(i)] += 1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        y[args.y_start + u32(i)] = x[args.x_start + u32(3 - i)];
    }
}

@compute @workgroup_size(4, 1, 1)
fn turned_0(@builtin(local_invocation_id) item: vec3<u32>) {
    for (var turn: i32 = 0; turn < args_1.n; turn += 1) {
        {
            let i: i32 = i32(item.x);
            s[i] = x_1[args_1.x_start + u32((i + 1) % 4)];
        }
        workgroupBarrier();
        storageBarrier();
        {
            let i: i32 = i32(item.x);
            x_1[args_1.x_start + u32(i)] = s[i];
        }
        workgroupBarrier();
        storageBarrier();
    }
}
