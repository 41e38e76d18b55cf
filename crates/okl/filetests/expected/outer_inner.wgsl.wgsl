// WGSL, made from OKL.
// @kernel scale: scale_0

struct Args {
    a: f64,
    x_start: u32,
    y_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(2) var<storage, read_write> x: array<f64>;
@group(0) @binding(3) var<storage, read_write> y: array<f64>;

fn scale_0_group(group: vec3<u32>, item: vec3<u32>) {
    let o: i32 = i32(group.x);
    let i: i32 = i32(item.x);
    y[args.y_start + u32(4 * o + i)] = args.a * x[args.x_start + u32(4 * o + i)];
}

@compute @workgroup_size(4, 1, 1)
fn scale_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    scale_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn scale_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let o: i32 = i32(group_x);
    let i: i32 = i32(item.x);
    let o_next: i32 = i32(next_x);
    let i_next: i32 = i32(item.x);
    if (next_x < args.end_x) {
        let value: f64 = args.a * x[args.x_start + u32(4 * o + i)];
        let value_next: f64 = args.a * x[args.x_start + u32(4 * o_next + i_next)];
        y[args.y_start + u32(4 * o + i)] = value;
        y[args.y_start + u32(4 * o_next + i_next)] = value_next;
    } else {
        scale_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            scale_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
