// WGSL, made from OKL.
// @kernel lists: lists_0
// @kernel cube: cube_0
// @kernel binomial: binomial_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn lists_0() {
    let a: array<i32, 3> = array<i32, 3>(1, 2, 3);
    let b: array<i32, 4> = array<i32, 4>(1, 0, 0, 0);
    let c: array<i32, 6> = array<i32, 6>(1, 2, 3, 4, 5, 6);
    let d: array<i32, 6> = array<i32, 6>(5, 0, 0, 0, 0, 0);
    var sum: i32 = 0;
    for (var i: i32 = 0; i < 2; i += 1) {
        for (var j: i32 = 0; j < 3; j += 1) {
            sum += c[3 * i + j];
        }
    }
    out[args.out_start] = a[0] + a[1] + a[2];
    out[args.out_start + 1u] = b[0];
    out[args.out_start + 2u] = b[1] + b[2] + b[3];
    out[args.out_start + 3u] = sum;
    out[args.out_start + 4u] = d[0];
    out[args.out_start + 5u] = d[5];
}

@compute @workgroup_size(3, 1, 1)
fn cube_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let k: i32 = i32(item.x);
    var a: array<i32, 60>;
    for (var x: i32 = 0; x < 3; x += 1) {
        for (var y: i32 = 0; y < 4; y += 1) {
            for (var z: i32 = 0; z < 5; z += 1) {
                a[5 * (4 * x + y) + z] = 100 * x + 10 * y + z;
            }
        }
    }
    out[args.out_start + u32(k)] = a[5 * (4 * k + k) + k];
    if (k == 0) {
        out[args.out_start + 3u] = a[7];
    }
}

override binomial_0_x: u32 = 1u;
override binomial_0_y: u32 = 1u;
override binomial_0_z: u32 = 1u;

@compute @workgroup_size(binomial_0_x, binomial_0_y, binomial_0_z)
fn binomial_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let k: i32 = i32(item.x);
    var row: array<i32, 8> = array<i32, 8>(1, 0, 0, 0, 0, 0, 0, 0);
    for (var r: i32 = 1; r < args_1.n; r += 1) {
        for (var c: i32 = r; c > 0; c -= 1) {
            row[c] += row[c - 1];
        }
    }
    out_1[args_1.out_start + u32(k)] = row[k];
}
