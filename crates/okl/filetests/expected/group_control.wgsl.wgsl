// WGSL, made from OKL.
// @kernel leave: leave_0
// @kernel until: until_0
// @kernel which: which_0

struct Args {
    n_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> n: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<i32>;

@compute @workgroup_size(3, 1, 1)
fn leave_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    let mine: i32 = n[args.n_start + u32(o)];
    workgroupBarrier();
    storageBarrier();
    if (!(mine == 0)) {
        let i: i32 = i32(item.x);
        if (i < mine) {
            out[args.out_start + u32(3 * o + i)] += 1;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn until_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var left: i32 = args_1.n;
    while (left > 0) {
        let i: i32 = i32(item.x);
        out_1[args_1.out_start + u32(i)] += 1;
        workgroupBarrier();
        storageBarrier();
        left -= 3;
    }
}

@compute @workgroup_size(2, 1, 1)
fn which_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    var base: i32;
    if (o == 0) {
        base = 10;
    } else if (o == 1) {
        base = 20;
    } else {
        base = 30;
    }
    let i: i32 = i32(item.x);
    out_1[args_2.out_start + u32(2 * o + i)] = base + i;
}
