// WGSL, made from OKL.
// @kernel names: names_0
// @kernel hiding: hiding_0

struct Args {
    in_start: u32,
    out_start: u32,
    global: i32,
    restrict_: i32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> in: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> x: array<i32>;

fn double_(register_: i32) -> i32 {
    return 2 * register_;
}

@compute @workgroup_size(2, 1, 1)
fn names_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let threadIdx: i32 = i32(item.x);
    out[args.out_start + u32(threadIdx)] = in[args.in_start + u32(threadIdx)] + args.global + args.restrict_ - 1 + 1 + 2 + 3 + 4 + 5 + double_(3) + 4 - 3;
}

@compute @workgroup_size(2, 1, 1)
fn hiding_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    let a: i32 = 1;
    let a_1: i32 = 10;
    let a_2: i32 = 100;
    x[args_1.x_start + u32(i)] += a_2;
    x[args_1.x_start + u32(i)] += a_1;
    x[args_1.x_start + u32(i)] += a;
    for (var a_3: i32 = 0; a_3 < 3 * i; a_3 += 1) {
        x[args_1.x_start + u32(i)] += 1;
    }
}
