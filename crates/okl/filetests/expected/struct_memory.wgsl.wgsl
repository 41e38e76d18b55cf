// WGSL, made from OKL.
// @kernel tally: tally_0
// @kernel by_value: by_value_0

struct Tally {
    count: i32,
    sum: f64,
    most: i64,
}

struct Pair {
    a: i32,
    b: f64,
}

struct Outer {
    pairs: array<Pair, 2>,
    tag: i32,
}

struct Args {
    n: i32,
    x_start: u32,
    t_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    o_start: u32,
    s: array<u32, 10>,
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> t: array<atomic<u64>>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;

fn okl_o_load_Outer(at: u32) -> Outer {
    return Outer(okl_o_load_Pair_x2(at), okl_o_load_i8(at + 32u));
}

fn okl_o_load_Pair(at: u32) -> Pair {
    return Pair(okl_o_load_i32(at), okl_o_load_f64(at + 8u));
}

fn okl_o_load_Pair_x2(at: u32) -> array<Pair, 2> {
    return array<Pair, 2>(okl_o_load_Pair(at), okl_o_load_Pair(at + 16u));
}

fn okl_o_load_f64(at: u32) -> f64 {
    return bitcast<f64>((u64(o[at >> 2u]) | (u64(o[(at >> 2u) + 1u]) << 32u)));
}

fn okl_o_load_i32(at: u32) -> i32 {
    let word: u32 = o[at >> 2u];
    return bitcast<i32>(word);
}

fn okl_o_load_i8(at: u32) -> i32 {
    let shift = 8u * (at & 3u);
    let word: u32 = o[at >> 2u];
    return extractBits(bitcast<i32>(word), shift, 8u);
}

fn okl_t_add_f64(at: u32, value: f64) -> f64 {
    var old: u64 = atomicLoad(&t[at >> 3u]);
    loop {
        let next: u64 = bitcast<u64>(bitcast<f64>(old) + value);
        let found: u64 = okl_t_swap(at >> 3u, old, next);
        if (found == old) { break; }
        old = found;
    }
    return bitcast<f64>(old);
}

fn okl_t_add_i32(at: u32, value: i32) -> i32 {
    let shift = 8u * (at & 7u);
    var old: u64 = atomicLoad(&t[at >> 3u]);
    loop {
        let next: u64 = (old & ~(0xfffffffflu << shift)) | ((u64(bitcast<u32>(bitcast<i32>(u32(old >> shift)) + value)) & 0xfffffffflu) << shift);
        let found: u64 = okl_t_swap(at >> 3u, old, next);
        if (found == old) { break; }
        old = found;
    }
    return bitcast<i32>(u32(old >> shift));
}

fn okl_t_max_i64(at: u32, value: i64) -> i64 {
    var old: u64 = atomicLoad(&t[at >> 3u]);
    loop {
        let next: u64 = bitcast<u64>(select(bitcast<i64>(old), value, value > bitcast<i64>(old)));
        let found: u64 = okl_t_swap(at >> 3u, old, next);
        if (found == old) { break; }
        old = found;
    }
    return bitcast<i64>(old);
}

fn okl_t_swap(at: u32, old: u64, next: u64) -> u64 {
    loop {
        let swap = atomicCompareExchangeWeak(&t[at], old, next);
        if (swap.exchanged || swap.old_value != old) { return swap.old_value; }
    }
    return old;
}

fn total(s: Outer) -> f64 {
    var sum: f64 = f64(s.tag);
    for (var k: i32 = 0; k < 2; k += 1) {
        sum += f64(s.pairs[k].a) + s.pairs[k].b;
    }
    return sum;
}

@compute @workgroup_size(2, 1, 1)
fn tally_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        _ = okl_t_add_i32(24u * args.t_start, 1);
        _ = okl_t_add_f64(24u * args.t_start + 8u, x[args.x_start + u32(i)]);
        _ = okl_t_max_i64(24u * args.t_start + 16u, i64(x[args.x_start + u32(i)]));
    }
}

@compute @workgroup_size(1, 1, 1)
fn by_value_0() {
    var s = Outer(array<Pair, 2>(Pair(bitcast<i32>(args_1.s[0]), bitcast<f64>(u64(args_1.s[2]) | (u64(args_1.s[3]) << 32u))), Pair(bitcast<i32>(args_1.s[4]), bitcast<f64>(u64(args_1.s[6]) | (u64(args_1.s[7]) << 32u)))), extractBits(bitcast<i32>(args_1.s[8]), 0u, 8u));
    var mine: Outer = s;
    mine.pairs[1].b = 19.0lf;
    out[args_1.out_start] = total(s) + total(okl_o_load_Outer(40u * args_1.o_start)) - total(okl_o_load_Outer(40u * args_1.o_start));
    out[args_1.out_start + 1u] = total(mine);
}
