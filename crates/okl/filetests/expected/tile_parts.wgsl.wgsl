// WGSL, made from OKL.
// @kernel blocks: blocks_0
// @kernel ordinary: ordinary_0
// @kernel three: three_0

struct Args {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    a: i32,
    b: i32,
    c: i32,
    out_start: u32,
    first_x: u32,
    first_y: u32,
    first_z: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(3) var<storage, read_write> out_1: array<i32>;

@compute @workgroup_size(2, 1, 1)
fn blocks_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    for (var i: i32 = i_block; i64(i) < i64(i_block) + 4li && i < args.n; i += 1) {
        let k: i32 = i32(item.x);
        out[args.out_start + u32(2 * i + k)] += 1;
        workgroupBarrier();
        storageBarrier();
    }
}

@compute @workgroup_size(1, 1, 1)
fn ordinary_0(@builtin(workgroup_id) group: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    var sum: i32 = 0;
    for (var i: i32 = 0; i < args.n; i += 1) {
        sum += i;
    }
    out[args.out_start + u32(o)] = sum;
}

@compute @workgroup_size(4, 2, 2)
fn three_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let z_block: i32 = i32(group.x + args_1.first_x) * 4;
    let y_block: i32 = i32(group.y + args_1.first_y) * 2;
    let x_block: i32 = i32(group.z + args_1.first_z) * 2;
    let z: i32 = z_block + i32(item.x);
    let y: i32 = y_block + i32(item.y);
    let x: i32 = x_block + i32(item.z);
    if (x < args_1.a) {
        if (y < args_1.b) {
            if (z < args_1.c) {
                out_1[args_1.out_start + u32((x * args_1.b + y) * args_1.c + z)] += 1;
            }
        }
    }
}
