// WGSL, made from OKL.
// @kernel stencil: stencil_0
// @kernel table: table_0

struct Args {
    n: i32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;
const weights: array<f64, 3> = array<f64, 3>(1.0lf, -2.0lf, 1.0lf);
const grid: array<i32, 6> = array<i32, 6>(1, 2, 3, 4, 5, 6);

fn apply_of_x(x_start: u32) -> f64 {
    var sum: f64 = 0.0lf;
    for (var k: i32 = 0; k < 3; k += 1) {
        sum += weights[k] * x[x_start + u32(k - 1)];
    }
    return sum;
}

fn stencil_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = 1 + i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n - 1) {
        out[args.out_start + u32(i)] = apply_of_x(args.x_start + u32(i));
    }
}

@compute @workgroup_size(4, 1, 1)
fn stencil_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    stencil_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn stencil_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = 1 + i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = 1 + i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n - 1 && i_next < args.n - 1) {
        let value: f64 = apply_of_x(args.x_start + u32(i));
        let value_next: f64 = apply_of_x(args.x_start + u32(i_next));
        out[args.out_start + u32(i)] = value;
        out[args.out_start + u32(i_next)] = value_next;
    } else {
        stencil_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            stencil_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(3, 1, 1)
fn table_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let k: i32 = i32(item.x);
    out_1[args_1.out_start + u32(3 * o + k)] = grid[3 * o + k];
}
