// WGSL, made from OKL.
// @kernel spread: spread_0
// @kernel apart: apart_0

struct Args {
    groups: i32,
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> y: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn spread_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    let factor: i32 = x[args.x_start + u32(o)];
    workgroupBarrier();
    storageBarrier();
    let i: i32 = i32(item.x);
    y[args.y_start + u32(o + i * args.groups)] = i * factor;
}

@compute @workgroup_size(4, 1, 1)
fn apart_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    let factor: i32 = x[args.x_start + u32(o)];
    let i: i32 = i32(item.x);
    y[args.y_start + u32(o + i * args.groups)] = i * factor;
}
