// WGSL, made from OKL.
// @kernel sum: sum_0
// @kernel sum_single: sum_single_0
// @kernel product: product_0
// @kernel quotient: quotient_0

struct Args {
    n: i32,
    x_start: u32,
    total_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    total_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> total: array<atomic<u64>>;
@group(0) @binding(1) var<storage, read_write> x_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> total_1: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> total_2: array<atomic<u64>>;
@group(0) @binding(1) var<storage, read_write> total_3: array<atomic<u32>>;

fn okl_total_1_sub_f32(at: u32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&total_1[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&total_1[at], old, bitcast<u32>(bitcast<f32>(old) - value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn okl_total_2_mul_f64(at: u32, value: f64) -> f64 {
    var old: u64 = atomicLoad(&total_2[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&total_2[at], old, bitcast<u64>(bitcast<f64>(old) * value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f64>(old);
}

fn okl_total_3_div_f32(at: u32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&total_3[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&total_3[at], old, bitcast<u32>(bitcast<f32>(old) / value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn okl_total_add_f64(at: u32, value: f64) -> f64 {
    var old: u64 = atomicLoad(&total[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&total[at], old, bitcast<u64>(bitcast<f64>(old) + value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f64>(old);
}

@compute @workgroup_size(4, 1, 1)
fn sum_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        _ = okl_total_add_f64(args.total_start, x[args.x_start + u32(i)]);
    }
}

@compute @workgroup_size(4, 1, 1)
fn sum_single_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        _ = okl_total_1_sub_f32(args.total_start, x_1[args.x_start + u32(i)]);
    }
}

@compute @workgroup_size(4, 1, 1)
fn product_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        _ = okl_total_2_mul_f64(args_1.total_start, 2.0lf);
    }
}

@compute @workgroup_size(4, 1, 1)
fn quotient_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        _ = okl_total_3_div_f32(args_1.total_start, 2.0f);
    }
}
