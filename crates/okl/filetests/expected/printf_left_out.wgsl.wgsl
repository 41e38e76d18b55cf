// WGSL, made from OKL.
// @kernel quiet: quiet_0

struct Args {
    n: i32,
    x_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;

fn twice(i: i32) -> i32 {
    return 2 * i;
}

fn quiet_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 64;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        x[args.x_start + u32(i)] = twice(x[args.x_start + u32(i)]);
    }
}

@compute @workgroup_size(64, 1, 1)
fn quiet_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    quiet_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(64, 1, 1)
fn quiet_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 64;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 64;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: i32 = twice(x[args.x_start + u32(i)]);
        let value_next: i32 = twice(x[args.x_start + u32(i_next)]);
        x[args.x_start + u32(i)] = value;
        x[args.x_start + u32(i_next)] = value_next;
    } else {
        quiet_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            quiet_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
