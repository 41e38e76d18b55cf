// WGSL, made from OKL.
// @kernel floats: floats_0
// @kernel doubles: doubles_0
// @kernel constants: constants_0

struct Args {
    x_start: u32,
    u_start: u32,
    i_start: u32,
    back_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
    u_start: u32,
    back_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> i: array<i32>;
@group(0) @binding(3) var<storage, read_write> back: array<f32>;
@group(0) @binding(0) var<storage, read_write> x_1: array<f64>;
@group(0) @binding(1) var<storage, read_write> u_1: array<u64>;
@group(0) @binding(2) var<storage, read_write> back_1: array<f64>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

// Infinities and NaNs: WGSL has no constants for them, and a compiler that evaluates one stops.
var<private> okl_infinity_bits: u32 = 0x7f800000u;

var<private> okl_nan_bits: u32 = 0x7fc00000u;

fn okl_inf_f32() -> f32 {
    return bitcast<f32>(okl_infinity_bits);
}

fn okl_nan_f32() -> f32 {
    return bitcast<f32>(okl_nan_bits);
}

@compute @workgroup_size(4, 1, 1)
fn floats_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let t: i32 = i32(item.x);
    u[args.u_start + u32(t)] = bitcast<u32>(x[args.x_start + u32(t)]);
    i[args.i_start + u32(t)] = i32(bitcast<u32>(x[args.x_start + u32(t)])) + 1;
    back[args.back_start + u32(t)] = select(bitcast<f32>(bitcast<u32>(x[args.x_start + u32(t)]) + u32(t)) + bitcast<f32>(bitcast<u32>(x[args.x_start + u32(t)])), bitcast<f32>(u32(i32(bitcast<u32>(x[args.x_start + u32(t)])) ^ (-2147483647 - 1))), t == 3);
}

@compute @workgroup_size(2, 1, 1)
fn doubles_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let t: i32 = i32(item.x);
    u_1[args_1.u_start + u32(t)] = bitcast<u64>(x_1[args_1.x_start + u32(t)]);
    back_1[args_1.back_start + u32(t)] = select(bitcast<f64>(u_1[args_1.u_start + u32(t)] ^ 9223372036854775808lu), bitcast<f64>(u64(i64(bitcast<u64>(x_1[args_1.x_start + u32(t)])) ^ (-9223372036854775807li - 1li))), t == 0);
}

@compute @workgroup_size(4, 1, 1)
fn constants_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let t: i32 = i32(item.x);
    out[args_2.out_start + u32(t)] = select(select(select(3.5f, okl_nan_f32(), t == 2), -okl_inf_f32(), t == 1), 1.5f, t == 0);
}
