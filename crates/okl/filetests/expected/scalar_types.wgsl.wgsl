// WGSL, made from OKL.
// @kernel stores: stores_0
// @kernel names: names_0

enable wgpu_int16;

struct Args {
    b: u32,
    c: i32,
    uc: u32,
    s: i32,
    us: u32,
    i: i32,
    u: u32,
    l: i64,
    ul: u64,
    f: f32,
    d: f64,
    ob_start: u32,
    oc_start: u32,
    ouc_start: u32,
    os_start: u32,
    ous_start: u32,
    oi_start: u32,
    ou_start: u32,
    ol_start: u32,
    oul_start: u32,
    of_start: u32,
    od_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(11) var<storage, read_write> ob: array<atomic<u32>>;
@group(0) @binding(12) var<storage, read_write> oc: array<atomic<u32>>;
@group(0) @binding(13) var<storage, read_write> ouc: array<atomic<u32>>;
@group(0) @binding(14) var<storage, read_write> os: array<i16>;
@group(0) @binding(15) var<storage, read_write> ous: array<u16>;
@group(0) @binding(16) var<storage, read_write> oi: array<i32>;
@group(0) @binding(17) var<storage, read_write> ou: array<u32>;
@group(0) @binding(18) var<storage, read_write> ol: array<i64>;
@group(0) @binding(19) var<storage, read_write> oul: array<u64>;
@group(0) @binding(20) var<storage, read_write> of_1: array<f32>;
@group(0) @binding(21) var<storage, read_write> od: array<f64>;
@group(0) @binding(0) var<storage, read_write> out: array<i32>;

fn okl_ob_and_word(at: u32, bits: u32) {
    atomicAnd(&ob[at], bits); return;
}

fn okl_ob_or_word(at: u32, bits: u32) {
    atomicOr(&ob[at], bits); return;
}

fn okl_ob_store_bool(at: u32, value: bool) {
    let shift = 8u * (at & 3u);
    okl_ob_and_word(at >> 2u, ~(0xffu << shift));
    okl_ob_or_word(at >> 2u, ((select(0u, 1u, value)) & 0xffu) << shift);
}

fn okl_oc_and_word(at: u32, bits: u32) {
    atomicAnd(&oc[at], bits); return;
}

fn okl_oc_or_word(at: u32, bits: u32) {
    atomicOr(&oc[at], bits); return;
}

fn okl_oc_store_i8(at: u32, value: i32) {
    let shift = 8u * (at & 3u);
    okl_oc_and_word(at >> 2u, ~(0xffu << shift));
    okl_oc_or_word(at >> 2u, ((bitcast<u32>(extractBits(value, 0u, 8u))) & 0xffu) << shift);
}

fn okl_ouc_and_word(at: u32, bits: u32) {
    atomicAnd(&ouc[at], bits); return;
}

fn okl_ouc_or_word(at: u32, bits: u32) {
    atomicOr(&ouc[at], bits); return;
}

fn okl_ouc_store_u8(at: u32, value: u32) {
    let shift = 8u * (at & 3u);
    okl_ouc_and_word(at >> 2u, ~(0xffu << shift));
    okl_ouc_or_word(at >> 2u, ((value) & 0xffu) << shift);
}

@compute @workgroup_size(1, 1, 1)
fn stores_0() {
    okl_ob_store_bool(args.ob_start, args.b != 0u);
    okl_oc_store_i8(args.oc_start, extractBits(args.c - 1, 0u, 8u));
    okl_ouc_store_u8(args.ouc_start, u32(i32(args.uc) + 9) & 0xffu);
    os[args.os_start] = i16(extractBits(args.s - 1, 0u, 16u));
    ous[args.ous_start] = u16(u32(i32(args.us) + 1072) & 0xffffu);
    oi[args.oi_start] = args.i - 1;
    ou[args.ou_start] = args.u + 7u;
    ol[args.ol_start] = args.l - 1li;
    oul[args.oul_start] = args.ul + 7lu;
    of_1[args.of_start] = args.f + 0.75f;
    od[args.od_start] = args.d + 0.25lf;
}

@compute @workgroup_size(1, 1, 1)
fn names_0() {
    out[args_1.out_start] = 1;
    out[args_1.out_start + 1u] = 1;
    out[args_1.out_start + 2u] = 1;
    out[args_1.out_start + 3u] = 2;
    out[args_1.out_start + 4u] = 2;
    out[args_1.out_start + 5u] = 4;
    out[args_1.out_start + 6u] = 4;
    out[args_1.out_start + 7u] = 4;
    out[args_1.out_start + 8u] = 8;
    out[args_1.out_start + 9u] = 8;
    out[args_1.out_start + 10u] = 4;
    out[args_1.out_start + 11u] = 8;
}
