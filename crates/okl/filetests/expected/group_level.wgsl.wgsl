// WGSL, made from OKL.
// @kernel offsets: offsets_0
// @kernel branches: branches_0
// @kernel rounds: rounds_0

struct Args {
    starts_start: u32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    rounds: i32,
    x_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> starts: array<i32>;
@group(0) @binding(2) var<storage, read_write> x: array<i32>;
@group(0) @binding(3) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<i32>;
@group(0) @binding(2) var<storage, read_write> x_1: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn offsets_0(@builtin(workgroup_id) group: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    let begin: i32 = starts[args.starts_start + u32(o)];
    let end: i32 = starts[args.starts_start + u32(o + 1)];
    workgroupBarrier();
    storageBarrier();
    var sum: i32 = 0;
    for (var k: i32 = begin; k < end; k += 1) {
        sum += x[args.x_start + u32(k)];
    }
    out[args.out_start + u32(o)] = sum;
}

@compute @workgroup_size(2, 1, 1)
fn branches_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    var factor: i32 = o;
    if (o >= 2) {
        factor *= 10;
        {
            let i: i32 = i32(item.x);
            out_1[args_1.out_start + u32(2 * o + i)] = factor;
        }
    } else {
        {
            let i: i32 = i32(item.x);
            out_1[args_1.out_start + u32(2 * o + i)] = factor;
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn rounds_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    for (var r: i32 = 1; r < args_2.rounds; r += 1) {
        let factor: i32 = r + 1;
        let i: i32 = i32(item.x);
        x_1[args_2.x_start + u32(2 * o + i)] *= factor;
        workgroupBarrier();
        storageBarrier();
    }
}
