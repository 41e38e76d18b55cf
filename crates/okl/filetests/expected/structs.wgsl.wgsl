// WGSL, made from OKL.
// @kernel move: move_0
// @kernel padding: padding_0
// @kernel nested: nested_0

struct Point {
    x: f64,
    y: f64,
    z: f64,
}

struct Padded {
    tag: i32,
    value: f64,
    count: i32,
}

struct Box {
    lo: Point,
    hi: Point,
    id: i32,
}

struct Args {
    n: i32,
    by: Point,
    p_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    p_start: u32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    b_start: u32,
    out_start: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(2) var<storage, read_write> p: array<Point>;
@group(0) @binding(0) var<storage, read_write> p_1: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> b: array<Box>;
@group(0) @binding(1) var<storage, read_write> out_1: array<f64>;

fn okl_p_1_and_word(at: u32, bits: u32) {
    atomicAnd(&p_1[at], bits); return;
}

fn okl_p_1_load_f64(at: u32) -> f64 {
    return bitcast<f64>((u64(atomicLoad(&p_1[at >> 2u])) | (u64(atomicLoad(&p_1[(at >> 2u) + 1u])) << 32u)));
}

fn okl_p_1_load_i16(at: u32) -> i32 {
    let shift = 8u * (at & 3u);
    let word: u32 = atomicLoad(&p_1[at >> 2u]);
    return extractBits(bitcast<i32>(word), shift, 16u);
}

fn okl_p_1_load_i8(at: u32) -> i32 {
    let shift = 8u * (at & 3u);
    let word: u32 = atomicLoad(&p_1[at >> 2u]);
    return extractBits(bitcast<i32>(word), shift, 8u);
}

fn okl_p_1_or_word(at: u32, bits: u32) {
    atomicOr(&p_1[at], bits); return;
}

fn okl_p_1_store_f64(at: u32, value: f64) {
    let bits: u64 = bitcast<u64>(value);
    atomicStore(&p_1[at >> 2u], u32(bits));
    atomicStore(&p_1[(at >> 2u) + 1u], u32(bits >> 32u));
}

fn okl_p_1_store_i16(at: u32, value: i32) {
    let shift = 8u * (at & 3u);
    okl_p_1_and_word(at >> 2u, ~(0xffffu << shift));
    okl_p_1_or_word(at >> 2u, ((bitcast<u32>(extractBits(value, 0u, 16u))) & 0xffffu) << shift);
}

fn okl_p_1_store_i8(at: u32, value: i32) {
    let shift = 8u * (at & 3u);
    okl_p_1_and_word(at >> 2u, ~(0xffu << shift));
    okl_p_1_or_word(at >> 2u, ((bitcast<u32>(extractBits(value, 0u, 8u))) & 0xffu) << shift);
}

fn sum(a: Point, b: Point) -> Point {
    var s: Point;
    s.x = a.x + b.x;
    s.y = a.y + b.y;
    s.z = a.z + b.z;
    return s;
}

fn touch_of_p_1(p_start: u32) {
    okl_p_1_store_i8(24u * p_start, extractBits(okl_p_1_load_i8(24u * p_start) + 1, 0u, 8u));
    okl_p_1_store_f64(24u * p_start + 8u, okl_p_1_load_f64(24u * p_start + 8u) * 2.0lf);
    okl_p_1_store_i16(24u * p_start + 16u, extractBits(okl_p_1_load_i16(24u * p_start + 16u) + 1, 0u, 16u));
}

fn move_0_group(group: vec3<u32>, item: vec3<u32>) {
    var by = args.by;
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        p[args.p_start + u32(i)] = sum(p[args.p_start + u32(i)], by);
    }
}

@compute @workgroup_size(2, 1, 1)
fn move_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    move_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn move_0_pairs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var by = args.by;
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: Point = sum(p[args.p_start + u32(i)], by);
        let value_next: Point = sum(p[args.p_start + u32(i_next)], by);
        p[args.p_start + u32(i)] = value;
        p[args.p_start + u32(i_next)] = value_next;
    } else {
        move_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            move_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn padding_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    if (i == 0) {
        out[args_1.out_start] = okl_p_1_load_i8(24u * args_1.p_start);
        out[args_1.out_start + 1u] = okl_p_1_load_i16(24u * args_1.p_start + 16u);
        out[args_1.out_start + 2u] = 24;
    } else {
        out[args_1.out_start + 3u] = okl_p_1_load_i16(24u * (args_1.p_start + 1u) + 16u);
    }
    touch_of_p_1(args_1.p_start + u32(i));
}

@compute @workgroup_size(1, 1, 1)
fn nested_0() {
    var mine: Box = b[args_2.b_start];
    let corner: Point = Point(1.0lf, 2.0lf, 3.0lf);
    mine.lo = corner;
    mine.id += 1;
    out_1[args_2.out_start] = mine.hi.x + mine.hi.y + mine.hi.z;
    out_1[args_2.out_start + 1u] = f64(b[args_2.b_start].id);
    out_1[args_2.out_start + 2u] = b[args_2.b_start].hi.x * corner.x + b[args_2.b_start].hi.y * corner.y + b[args_2.b_start].hi.z * corner.z;
    b[args_2.b_start] = mine;
}
