// WGSL, made from OKL.
// @kernel steps: steps_0
// @kernel compound: compound_0
// @kernel narrow: narrow_0

enable wgpu_int16;

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    c_start: u32,
    s_start: u32,
    f_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> s: array<i16>;
@group(0) @binding(2) var<storage, read_write> f: array<f32>;

fn okl_c_and_word(at: u32, bits: u32) {
    atomicAnd(&c[at], bits); return;
}

fn okl_c_load_u8(at: u32) -> u32 {
    let shift = 8u * (at & 3u);
    let word: u32 = atomicLoad(&c[at >> 2u]);
    return extractBits(word, shift, 8u);
}

fn okl_c_or_word(at: u32, bits: u32) {
    atomicOr(&c[at], bits); return;
}

fn okl_c_store_u8(at: u32, value: u32) {
    let shift = 8u * (at & 3u);
    okl_c_and_word(at >> 2u, ~(0xffu << shift));
    okl_c_or_word(at >> 2u, ((value) & 0xffu) << shift);
}

@compute @workgroup_size(1, 1, 1)
fn steps_0() {
    var a: i32 = 5;
    var b: i32;
    var c: i32;
    let before: i32 = a;
    a += 1;
    out[args.out_start] = before;
    a += 1;
    out[args.out_start + 1u] = a;
    let before_1: i32 = a;
    a -= 1;
    out[args.out_start + 2u] = before_1;
    a -= 1;
    out[args.out_start + 3u] = a;
    a -= 1;
    c = a;
    b = c;
    out[args.out_start + 4u] = b;
    out[args.out_start + 5u] = c;
    var at: i32 = 6;
    let before_2: i32 = at;
    at += 1;
    out[args.out_start + u32(before_2)] = 12;
    out[args.out_start + u32(at)] = out[args.out_start + u32(at - 1)];
    {
        b = 0;
        c = 10;
        loop {
            if (b >= c) { break; }
            a = b;
            continuing {
                b += 1;
                c -= 2;
            }
        }
    }
    out[args.out_start + 8u] = a;
    a = 1;
    out[args.out_start + 9u] = a + 1;
}

@compute @workgroup_size(1, 1, 1)
fn compound_0() {
    var a: i32 = 10;
    a += 5;
    out[args.out_start] = a;
    a -= 3;
    out[args.out_start + 1u] = a;
    a *= 3;
    out[args.out_start + 2u] = a;
    a /= 4;
    out[args.out_start + 3u] = a;
    a %= 2;
    out[args.out_start + 4u] = a;
    a <<= 2u;
    out[args.out_start + 5u] = a;
    a >>= 1u;
    out[args.out_start + 6u] = a;
    a |= 8;
    out[args.out_start + 7u] = a;
    a ^= 4;
    out[args.out_start + 8u] = a;
    a -= 1;
    out[args.out_start + 9u] = a & 15;
}

@compute @workgroup_size(1, 1, 1)
fn narrow_0() {
    okl_c_store_u8(args_1.c_start, u32(i32(okl_c_load_u8(args_1.c_start)) + 10) & 0xffu);
    okl_c_store_u8(args_1.c_start + 1u, u32(i32(okl_c_load_u8(args_1.c_start + 1u)) * 2) & 0xffu);
    s[args_1.s_start] = i16(extractBits(i32(s[args_1.s_start]) + 1, 0u, 16u));
    f[args_1.f_start] += 1.0f;
}
