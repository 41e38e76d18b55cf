// WGSL, made from OKL.
// @kernel fall: fall_0
// @kernel middle: middle_0
// @kernel in_loop: in_loop_0
// @kernel names: names_0

struct Args {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> out_2: array<i32>;

fn name(x: i32) -> i32 {
    switch (x) {
        case 0: {
            return 10;
        }
        case 5: {
            return 20;
        }
        default: {}
    }
    return -1;
}

@compute @workgroup_size(4, 1, 1)
fn fall_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var x: i32 = 0;
        switch (i) {
            case 0: {
                x += 100;
                // falls through
                {
                    x += 10;
                }
                // falls through
                {
                    x += 1;
                }
            }
            case 1: {
                x += 10;
                // falls through
                {
                    x += 1;
                }
            }
            case 2: {
                x += 1;
            }
            case 3: {
                x = 1000;
            }
            case 4, 5: {
                x = 500;
            }
            default: {
                x = 7;
            }
        }
        out[args.out_start + u32(i)] = x;
    }
}

@compute @workgroup_size(4, 1, 1)
fn middle_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var x: i32 = 0;
        switch (i) {
            case 1: {
                x = 10;
                x += 2;
            }
            default: {
                x = 3;
            }
            case 2: {
                x = 20;
            }
        }
        out[args.out_start + u32(i)] = x;
    }
}

@compute @workgroup_size(1, 1, 1)
fn in_loop_0() {
    var sum: i32 = 0;
    var rounds: i32 = 0;
    for (var k: i32 = 0; k < 6; k += 1) {
        switch (k) {
            case 1: {
                continue;
            }
            case 4: {
                sum += 5;
            }
            default: {
                switch (k % 2) {
                    case 0: {
                        sum += 2;
                    }
                    default: {
                    }
                }
            }
        }
        if (k == 5) {
            break;
        }
        rounds += 1;
    }
    out_1[args_1.out_start] = sum;
    var k: i32 = 0;
    loop {
        k += 1;
        switch (k) {
            case 3: {
            }
            default: {
                continue;
            }
        }
        break;
    }
    out_1[args_1.out_start + 1u] = k + 100 + rounds - rounds;
}

fn names_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        out_2[args_2.out_start + u32(i)] = name(x[args_2.x_start + u32(i)]);
    }
}

@compute @workgroup_size(4, 1, 1)
fn names_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    names_0_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn names_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_2.end_x && i < args_2.n && i_next < args_2.n) {
        let value: i32 = name(x[args_2.x_start + u32(i)]);
        let value_next: i32 = name(x[args_2.x_start + u32(i_next)]);
        out_2[args_2.out_start + u32(i)] = value;
        out_2[args_2.out_start + u32(i_next)] = value_next;
    } else {
        names_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            names_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
