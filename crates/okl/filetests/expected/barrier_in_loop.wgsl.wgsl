// WGSL, made from OKL.
// @kernel sum: sum_0
// @kernel shift: shift_0

struct Args {
    x_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    rounds: i32,
    x_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;
var<workgroup> s: array<i32, 4>;

@compute @workgroup_size(4, 1, 1)
fn sum_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var mine: i32;
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        mine = x[args.x_start + u32(4 * o + i)];
    }
    workgroupBarrier();
    storageBarrier();
    for (var step: i32 = 1; step < 4; step *= 2) {
        {
            let i: i32 = i32(item.x);
            s[i] = mine;
        }
        workgroupBarrier();
        storageBarrier();
        {
            let i: i32 = i32(item.x);
            mine += s[i ^ step];
        }
        workgroupBarrier();
        storageBarrier();
    }
    {
        let i: i32 = i32(item.x);
        x[args.x_start + u32(4 * o + i)] = mine;
    }
}

@compute @workgroup_size(4, 1, 1)
fn shift_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var next: i32;
    {
        let i: i32 = i32(item.x);
        s[i] = x[args_1.x_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    for (var k: i32 = 0; k < args_1.rounds; k += 1) {
        {
            let i: i32 = i32(item.x);
            next = s[(i + 1) % 4];
        }
        workgroupBarrier();
        storageBarrier();
        {
            let i: i32 = i32(item.x);
            s[i] = next;
        }
        workgroupBarrier();
        storageBarrier();
    }
    {
        let i: i32 = i32(item.x);
        x[args_1.x_start + u32(i)] = s[i];
    }
}
