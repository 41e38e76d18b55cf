// WGSL, made from OKL.
// @kernel extremes: extremes_0
// @kernel floats: floats_0
// @kernel through_function: through_function_0

struct Args {
    n: i32,
    x_start: u32,
    lo_start: u32,
    hi_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    x_start: u32,
    counts_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> lo: array<atomic<i32>>;
@group(0) @binding(3) var<storage, read_write> hi: array<atomic<i64>>;
@group(0) @binding(1) var<storage, read_write> x_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> lo_1: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> hi_1: array<atomic<u64>>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<i32>>;

fn okl_hi_1_max_f64(at: u32, value: f64) -> f64 {
    var old: u64 = atomicLoad(&hi_1[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&hi_1[at], old, bitcast<u64>(select(bitcast<f64>(old), value, value > bitcast<f64>(old))));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f64>(old);
}

fn okl_lo_1_min_f32(at: u32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&lo_1[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&lo_1[at], old, bitcast<u32>(select(bitcast<f32>(old), value, value < bitcast<f32>(old))));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn count_of_counts(counts_start: u32, at: i32) {
    atomicAdd(&counts[counts_start + u32(at)], 1);
}

@compute @workgroup_size(4, 1, 1)
fn extremes_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        atomicMin(&lo[args.lo_start], x[args.x_start + u32(i)]);
        atomicMax(&hi[args.hi_start], i64(x[args.x_start + u32(i)]));
    }
}

@compute @workgroup_size(4, 1, 1)
fn floats_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        _ = okl_lo_1_min_f32(args.lo_start, x_1[args.x_start + u32(i)]);
        _ = okl_hi_1_max_f64(args.hi_start, f64(x_1[args.x_start + u32(i)]));
    }
}

@compute @workgroup_size(2, 1, 1)
fn through_function_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_1.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        count_of_counts(args_1.counts_start, x[args_1.x_start + u32(i)]);
    }
}
