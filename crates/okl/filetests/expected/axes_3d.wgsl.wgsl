// WGSL, made from OKL.
// @kernel count: count_0
// @kernel where: where_0

struct Args {
    b: i32,
    out_start: u32,
    first_x: u32,
    first_y: u32,
    first_z: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
    first_x: u32,
    first_y: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;

fn count_0_group(group_1: vec3<u32>, item: vec3<u32>) {
    let o0: i32 = i32(group_1.x);
    let o1: i32 = i32(group_1.y);
    let o2: i32 = i32(group_1.z);
    let i0: i32 = i32(item.x);
    let i1: i32 = i32(item.y);
    let i2: i32 = i32(item.z);
    let group: i32 = (o2 * args.b + o1) * 2 + o0;
    out[args.out_start + u32(group * 12 + (i2 * 2 + i1) * 2 + i0)] += 1;
}

@compute @workgroup_size(2, 2, 3)
fn count_0(@builtin(workgroup_id) group_1: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    count_0_group(vec3<u32>(group_1.x + args.first_x, group_1.y + args.first_y, group_1.z + args.first_z), item);
}

@compute @workgroup_size(2, 2, 3)
fn count_0_pairs(@builtin(workgroup_id) group_1: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group_1.x);
    let next_x: u32 = group_x + 1u;
    let o0: i32 = i32(group_x);
    let o1: i32 = i32(group_1.y + args.first_y);
    let o2: i32 = i32(group_1.z + args.first_z);
    let i0: i32 = i32(item.x);
    let i1: i32 = i32(item.y);
    let i2: i32 = i32(item.z);
    let group: i32 = (o2 * args.b + o1) * 2 + o0;
    let o0_next: i32 = i32(next_x);
    let o1_next: i32 = i32(group_1.y + args.first_y);
    let o2_next: i32 = i32(group_1.z + args.first_z);
    let i0_next: i32 = i32(item.x);
    let i1_next: i32 = i32(item.y);
    let i2_next: i32 = i32(item.z);
    let group_next: i32 = (o2_next * args.b + o1_next) * 2 + o0_next;
    if (next_x < args.end_x) {
        let value: i32 = out[args.out_start + u32(group * 12 + (i2 * 2 + i1) * 2 + i0)] + 1;
        let value_next: i32 = out[args.out_start + u32(group_next * 12 + (i2_next * 2 + i1_next) * 2 + i0_next)] + 1;
        out[args.out_start + u32(group * 12 + (i2 * 2 + i1) * 2 + i0)] = value;
        out[args.out_start + u32(group_next * 12 + (i2_next * 2 + i1_next) * 2 + i0_next)] = value_next;
    } else {
        count_0_group(vec3<u32>(group_x, group_1.y + args.first_y, group_1.z + args.first_z), item);
        if (next_x < args.end_x) {
            count_0_group(vec3<u32>(next_x, group_1.y + args.first_y, group_1.z + args.first_z), item);
        }
    }
}

@compute @workgroup_size(2, 2, 1)
fn where_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let x: i32 = i32(group.x + args_1.first_x);
    let y: i32 = i32(group.y + args_1.first_y);
    let i: i32 = i32(item.x);
    let j: i32 = i32(item.y);
    out_1[args_1.out_start + u32(((x * 2 + y) * 2 + i) * 2 + j)] = 1000 * x + 100 * y + 10 * i + j;
}
