// WGSL, made from OKL.
// @kernel down: down_0
// @kernel steps: steps_0
// @kernel inclusive: inclusive_0
// @kernel backward_steps: backward_steps_0
// @kernel wide: wide_0
// @kernel swapped: swapped_0

struct Args {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn down_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = args.n + i32(group.x + 65535 * group.y + args.first_x) * -1;
    let i: i32 = i32(item.x) * -1;
    out[args.out_start + u32(args.n - o)] = 10 * o + i;
}

@compute @workgroup_size(1, 1, 1)
fn steps_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = 1 + i32(group.x + 65535 * group.y + args_1.first_x) * 3;
    let i: i32 = 9 + i32(item.x) * 2;
    if (o + i <= 16) {
        out[args_1.out_start + u32(o)] = o + i;
    }
}

@compute @workgroup_size(2, 1, 1)
fn inclusive_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let i: i32 = i32(item.x);
    out[args_1.out_start + u32(2 * o + i)] = 10 * o + i;
}

@compute @workgroup_size(1, 1, 1)
fn backward_steps_0(@builtin(workgroup_id) group: vec3<u32>) {
    let o: i32 = args.n + i32(group.x + 65535 * group.y + args.first_x) * -3;
    out[args.out_start + u32(o)] = o;
}

@compute @workgroup_size(2, 1, 1)
fn wide_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i64 = i64(u64(group.x + 65535 * group.y + args_1.first_x));
    let i: u32 = item.x;
    out_1[args_1.out_start + u32(2 * i32(o) + i32(i))] = u32(2li * o) + i + 1u;
}

@compute @workgroup_size(1, 1, 1)
fn swapped_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let i: i32 = 5 + i32(item.x);
    out[args_1.out_start + u32(o)] = o + i;
}
