// WGSL, made from OKL.
// @kernel transpose: transpose_0

struct Args {
    rows: i32,
    columns: i32,
    in_1_start: u32,
    out_start: u32,
    first_x: u32,
    first_y: u32,
}

var<immediate> args: Args;

@group(0) @binding(2) var<storage, read_write> in_1: array<f64>;
@group(0) @binding(3) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4, 4, 1)
fn transpose_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let c_block: i32 = i32(group.x + args.first_x) * 4;
    let r_block: i32 = i32(group.y + args.first_y) * 4;
    let c: i32 = c_block + i32(item.x);
    let r: i32 = r_block + i32(item.y);
    if (r < args.rows) {
        if (c < args.columns) {
            out[args.out_start + u32(c * args.rows + r)] = in_1[args.in_1_start + u32(r * args.columns + c)];
        }
    }
}
