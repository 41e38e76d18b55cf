// WGSL, made from OKL.
// @kernel guards: guards_0
// @kernel effects: effects_0
// @kernel choose: choose_0

struct Args {
    n: i32,
    x_start: u32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;
var<private> b: i32;
@group(0) @binding(1) var<storage, read_write> out_2: array<i32>;

fn bump_of_b(by: i32) -> i32 {
    b += by;
    return b;
}

@compute @workgroup_size(4, 1, 1)
fn guards_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    let next: i32 = select(0, x[args.x_start + u32(i + 1)], i + 1 < args.n);
    if ((next != 0 && 100 / next > 0) || i > 100) {
        out[args.out_start + u32(i)] = select(next, 100 / next, i == 2);
    }
}

@compute @workgroup_size(1, 1, 1)
fn effects_0() {
    b = 0;
    var holds: bool = false;
    if (holds) {
        var result: i32;
        result = bump_of_b(1);
        holds = result != 0;
    }
    if (holds) {
        b = 100;
    }
    out_1[args_1.out_start] = b;
    var holds_1: bool = true;
    if (!holds_1) {
        var result_1: i32;
        result_1 = bump_of_b(50);
        holds_1 = result_1 != 0;
    }
    if (holds_1) {
        b += 1;
    }
    out_1[args_1.out_start + 1u] = b;
    var chosen: i32;
    var result_2: i32;
    result_2 = bump_of_b(1);
    chosen = result_2;
    out_1[args_1.out_start + 2u] = chosen;
    let before: i32 = b;
    b += 1;
    out_1[args_1.out_start + 3u] = select(0, 1, before > 1 && b == 3);
    out_1[args_1.out_start + 4u] = b;
    var c: i32;
    c = b * 2;
    out_1[args_1.out_start + 5u] = select(0, c + c, c > 5);
}

@compute @workgroup_size(4, 1, 1)
fn choose_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_2.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        out_2[args_2.out_start + u32(i)] = select(select(30, 20, i == 1), 10, i == 0);
    }
}
