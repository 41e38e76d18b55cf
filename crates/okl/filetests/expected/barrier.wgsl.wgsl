// WGSL, made from OKL.
// @kernel rotate: rotate_0
// @kernel twice: twice_0

struct Args {
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
var<workgroup> s: array<i32, 4>;
@group(0) @binding(0) var<storage, read_write> x_1: array<i32>;

@compute @workgroup_size(4, 1, 1)
fn rotate_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var mine: i32;
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        mine = x[args.x_start + u32(4 * o + i)];
        s[i] = mine;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(4 * o + i)] = 10 * mine + s[(i + 1) % 4];
    }
}

@compute @workgroup_size(4, 1, 1)
fn twice_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var sum: i32;
    {
        let i: i32 = i32(item.x);
        sum = x_1[args_1.x_start + u32(i)];
        s[i] = sum;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        sum += s[i ^ 1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        s[i] = sum;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        sum += s[i ^ 2];
        x_1[args_1.x_start + u32(i)] = sum;
    }
}
