// WGSL, made from OKL.
// @kernel objects: objects_0
// @kernel functions: functions_0
// @kernel blocks: blocks_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;

fn sum3(a: i32, b: i32, c: i32) -> i32 {
    return a + b + c;
}

@compute @workgroup_size(4, 1, 1)
fn objects_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    out[args.out_start + u32(i)] = 10 * i;
}

@compute @workgroup_size(1, 1, 1)
fn functions_0() {
    out[args.out_start] = 25;
    out[args.out_start + 1u] = 7;
    out[args.out_start + 2u] = 3;
    out[args.out_start + 3u] = 12;
    out[args.out_start + 4u] = sum3(1, 2, 3);
    out[args.out_start + 5u] = 42;
    out[args.out_start + 6u] = 3;
    loop {
        out[args.out_start + 7u] = 9;
        continuing {
            break if true;
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn blocks_0() {
    out[args.out_start] = 3;
    out[args.out_start + 1u] = 5;
    out[args.out_start + 2u] = 8;
}
