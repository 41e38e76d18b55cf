// WGSL, made from OKL.
// @kernel runtime: runtime_0
// @kernel folded: folded_0
// @kernel offset: offset_0

struct Args {
    items: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_2: array<i32>;

override runtime_0_x: u32 = 1u;
override runtime_0_y: u32 = 1u;
override runtime_0_z: u32 = 1u;

@compute @workgroup_size(runtime_0_x, runtime_0_y, runtime_0_z)
fn runtime_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var mine: i32;
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        mine = 10 * o + i;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(o * args.items + i)] = mine;
    }
}

@compute @workgroup_size(3, 1, 1)
fn folded_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let i: i32 = i32(item.x);
    out_1[args_1.out_start + u32(o * 3 + i)] = 10 * o + i;
}

@compute @workgroup_size(4, 1, 1)
fn offset_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let i_start: i32 = 4 * o;
    let i: i32 = i_start + i32(item.x);
    out_2[args_1.out_start + u32(i)] = i;
}
