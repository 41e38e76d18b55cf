// WGSL, made from OKL.
// @kernel ints: ints_0
// @kernel words: words_0
// @kernel longs: longs_0
// @kernel small: small_0
// @kernel constants: constants_0

struct Args {
    in_start: u32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> in: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> in_1: array<u32>;
@group(0) @binding(0) var<storage, read_write> in_2: array<i64>;
@group(0) @binding(0) var<storage, read_write> in_3: array<u32>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;

fn okl_popcount_u64(x: u64) -> u64 {
    return u64(countOneBits(u32(x)) + countOneBits(u32(x >> 32u)));
}

fn okl_clz_u64(x: u64) -> u64 {
    let high = u32(x >> 32u);
    return u64(select(countLeadingZeros(high), 32u + countLeadingZeros(u32(x)), high == 0u));
}

fn okl_ctz_u64(x: u64) -> u64 {
    let low = u32(x);
    return u64(select(countTrailingZeros(low), 32u + countTrailingZeros(u32(x >> 32u)), low == 0u));
}

fn okl_in_3_load_i8(at: u32) -> i32 {
    let shift = 8u * (at & 3u);
    let word: u32 = in_3[at >> 2u];
    return extractBits(bitcast<i32>(word), shift, 8u);
}

@compute @workgroup_size(5, 1, 1)
fn ints_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    out[args.out_start + u32(i)] = i32(countOneBits(u32(in[args.in_start + u32(i)])));
    out[args.out_start + u32(5 + i)] = i32(countLeadingZeros(u32(in[args.in_start + u32(i)])));
    out[args.out_start + u32(10 + i)] = i32(countTrailingZeros(u32(in[args.in_start + u32(i)])));
    let bits: u32 = u32(in[args.in_start + u32(i)]);
    out[args.out_start + u32(15 + i)] = select(i32(countTrailingZeros(bits)) + 1, 0, bits == 0u);
}

@compute @workgroup_size(4, 1, 1)
fn words_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    out[args.out_start + u32(i)] = i32(countOneBits(in_1[args.in_start + u32(i)]));
    out[args.out_start + u32(4 + i)] = i32(countLeadingZeros(in_1[args.in_start + u32(i)]));
    out[args.out_start + u32(8 + i)] = i32(countTrailingZeros(in_1[args.in_start + u32(i)]));
}

@compute @workgroup_size(5, 1, 1)
fn longs_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    out[args.out_start + u32(i)] = i32(okl_popcount_u64(u64(in_2[args.in_start + u32(i)])));
    out[args.out_start + u32(5 + i)] = i32(okl_clz_u64(u64(in_2[args.in_start + u32(i)])));
    out[args.out_start + u32(10 + i)] = i32(okl_ctz_u64(u64(in_2[args.in_start + u32(i)])));
    let bits: u64 = u64(in_2[args.in_start + u32(i)]);
    var okl_value_0: i32;
    if (bits == 0lu) {
        okl_value_0 = 0;
    } else {
        okl_value_0 = i32(okl_ctz_u64(bits)) + 1;
    }
    out[args.out_start + u32(15 + i)] = okl_value_0;
}

@compute @workgroup_size(4, 1, 1)
fn small_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    out[args.out_start + u32(i)] = i32(countOneBits(u32(okl_in_3_load_i8(args.in_start + u32(i)))));
    out[args.out_start + u32(4 + i)] = i32(countLeadingZeros(u32(okl_in_3_load_i8(args.in_start + u32(i)))));
    out[args.out_start + u32(8 + i)] = i32(okl_clz_u64(u64(i64(okl_in_3_load_i8(args.in_start + u32(i))))));
}

@compute @workgroup_size(4, 1, 1)
fn constants_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    out_1[args_1.out_start + u32(i)] = select(select(select(8, 0, i == 2), 29, i == 1), 3, i == 0);
}
