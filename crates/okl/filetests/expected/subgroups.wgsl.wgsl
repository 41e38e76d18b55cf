// WGSL, made from OKL.
// @kernel shuffles: shuffles_0
// @kernel reductions: reductions_0
// @kernel votes: votes_0
// @kernel tree: tree_0
// @kernel rows: rows_0
// @kernel in_loops: in_loops_0
// @kernel small: small_0
// @kernel wide: wide_0

struct Args {
    in_start: u32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    in_start: u32,
    out_start: u32,
    flags_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    in_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    n: i32,
    in_start: u32,
    out_start: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(0) var<storage, read_write> in: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
var<workgroup> exchanged: array<i32, 8>;
var<workgroup> exchanged_1: array<i32, 8>;
@group(0) @binding(1) var<storage, read_write> out_1: array<u32>;
@group(0) @binding(2) var<storage, read_write> flags: array<i32>;
var<workgroup> exchanged_2: array<atomic<u32>, 1>;
@group(0) @binding(0) var<storage, read_write> in_1: array<f64>;
@group(0) @binding(1) var<storage, read_write> out_2: array<f64>;
var<workgroup> exchanged_3: array<f64, 4>;
@group(0) @binding(1) var<storage, read_write> in_2: array<i32>;
@group(0) @binding(2) var<storage, read_write> out_3: array<i32>;
var<workgroup> exchanged_4: array<i32, 24>;
var<workgroup> exchanged_5: array<i32, 4>;
@group(0) @binding(0) var<storage, read_write> in_3: array<u32>;
@group(0) @binding(1) var<storage, read_write> out_4: array<f32>;
var<workgroup> exchanged_6: array<f32, 4>;
var<workgroup> exchanged_7: array<i32, 64>;

// The value of a half, which is held as its bits. WGSL's own conversions may lose subnormals, and round as they like.
fn okl_f32_of_f16(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let rest = half & 0x7fffu;
    let normal = (rest << 13u) + 0x38000000u;
    // A subnormal half is a multiple of 2^-24.
    let subnormal = bitcast<u32>(f32(rest) * 5.9604644775390625e-8f);
    let finite = select(normal, subnormal, rest < 0x400u);
    // The exponent of infinities and NaNs is all ones in both types.
    return bitcast<f32>(sign | finite | select(0u, 0x7f800000u, rest >= 0x7c00u));
}

// The nearest half, ties to even; infinite beyond the largest, NaN for a NaN.
fn okl_f16_of_f32(number: f32) -> u32 {
    let bits = bitcast<u32>(number);
    let sign = (bits >> 16u) & 0x8000u;
    let rest = bits & 0x7fffffffu;
    // From 65,520 on everything is 65,536, which is infinite.
    let bounded = select(rest, 0x47800000u, rest >= 0x477ff000u);
    let normal = (bounded - 0x37fff001u + ((bounded >> 13u) & 1u)) >> 13u;
    // Below 2^-14 a half counts multiples of 2^-24: all bits behind those are rounded off.
    let shift = 126u - clamp(rest >> 23u, 101u, 112u);
    let whole = (rest & 0x7fffffu) | 0x800000u;
    let subnormal = (whole + (1u << (shift - 1u)) - 1u + ((whole >> shift) & 1u)) >> shift;
    let ordered = select(normal, subnormal, rest < 0x38800000u);
    return sign | ordered | select(0u, 0x0200u, rest > 0x7f800000u);
}

fn okl_in_3_load_i8(at: u32) -> i32 {
    let shift = 8u * (at & 3u);
    let word: u32 = in_3[at >> 2u];
    return extractBits(bitcast<i32>(word), shift, 8u);
}

@compute @workgroup_size(8, 1, 1)
fn shuffles_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var taken: i32;
    var taken_1: i32;
    var taken_2: i32;
    var taken_3: i32;
    var taken_4: i32;
    {
        let i: i32 = i32(item.x);
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = in[args.in_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        taken = exchanged[u32(4 * (i / 4)) + 2u];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(i)] = taken;
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = in[args.in_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 1u) & 3u;
        taken_1 = exchanged[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(8 + i)] = taken_1;
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = in[args.in_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = select(u32(i) & 3u, (u32(i) & 3u) - 1u, (u32(i) & 3u) - 1u < 4u) & 3u;
        taken_2 = exchanged[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(16 + i)] = taken_2;
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = in[args.in_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = select(u32(i) & 3u, (u32(i) & 3u) + 2u, (u32(i) & 3u) + 2u < 4u) & 3u;
        taken_3 = exchanged[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(24 + i)] = taken_3;
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = in[args.in_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        taken_4 = exchanged[u32(4 * (i / 4)) + 3u];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(32 + i)] = taken_4;
    }
}

@compute @workgroup_size(8, 1, 1)
fn reductions_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var part: i32;
    var taken: i32;
    var part_1: i32;
    var taken_1: i32;
    var part_2: i32;
    var taken_2: i32;
    var part_3: i32;
    var taken_3: i32;
    var part_4: i32;
    var taken_4: i32;
    var part_5: i32;
    var taken_5: i32;
    var part_6: i32;
    var taken_6: i32;
    {
        let i: i32 = 8 + i32(item.x) * -1;
        part = in[args.in_start + u32(8 - i)];
        exchanged[u32(4 * ((i - 8) / -1 / 4)) + (u32((i - 8) / -1) & 3u)] = part;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 3u) ^ 2u) & 3u;
        taken = exchanged[u32(4 * ((i - 8) / -1 / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        part_1 = part + taken;
        exchanged[u32(4 * ((i - 8) / -1 / 4)) + (u32((i - 8) / -1) & 3u)] = part_1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 3u) ^ 1u) & 3u;
        taken_1 = exchanged[u32(4 * ((i - 8) / -1 / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let part_7: i32 = part_1 + taken_1;
        out[args.out_start + u32(8 - i)] = part_7;
        part_2 = in[args.in_start + u32(8 - i)];
        exchanged_1[u32(8 * ((i - 8) / -1 / 8)) + (u32((i - 8) / -1) & 7u)] = part_2;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 7u) ^ 4u) & 7u;
        taken_2 = exchanged_1[u32(8 * ((i - 8) / -1 / 8)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        part_3 = min(part_2, taken_2);
        exchanged_1[u32(8 * ((i - 8) / -1 / 8)) + (u32((i - 8) / -1) & 7u)] = part_3;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 7u) ^ 2u) & 7u;
        taken_3 = exchanged_1[u32(8 * ((i - 8) / -1 / 8)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        part_4 = min(part_3, taken_3);
        exchanged_1[u32(8 * ((i - 8) / -1 / 8)) + (u32((i - 8) / -1) & 7u)] = part_4;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 7u) ^ 1u) & 7u;
        taken_4 = exchanged_1[u32(8 * ((i - 8) / -1 / 8)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let part_7: i32 = min(part_4, taken_4);
        out[args.out_start + u32(16 - i)] = part_7;
        part_5 = in[args.in_start + u32(8 - i)];
        exchanged[u32(4 * ((i - 8) / -1 / 4)) + (u32((i - 8) / -1) & 3u)] = part_5;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 3u) ^ 2u) & 3u;
        taken_5 = exchanged[u32(4 * ((i - 8) / -1 / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        part_6 = max(part_5, taken_5);
        exchanged[u32(4 * ((i - 8) / -1 / 4)) + (u32((i - 8) / -1) & 3u)] = part_6;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let from_1: u32 = ((u32((i - 8) / -1) & 3u) ^ 1u) & 3u;
        taken_6 = exchanged[u32(4 * ((i - 8) / -1 / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = 8 + i32(item.x) * -1;
        let part_7: i32 = max(part_6, taken_6);
        out[args.out_start + u32(24 - i)] = part_7;
    }
}

@compute @workgroup_size(4, 1, 1)
fn votes_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var vote: u32;
    var taken: u32;
    var vote_1: u32;
    var taken_1: u32;
    var vote_2: u32;
    var taken_2: u32;
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let i_start: i32 = 4 * o;
    {
        let i: i32 = i_start + i32(item.x);
        vote = select(0u, 1u << (u32(i - i_start) & 3u), in[args_1.in_start + u32(i)] > select(2, 1, o == 0) && in[args_1.in_start + u32(i)] != 2);
        if ((u32(i - i_start) & 3u) == 0u) {
            atomicStore(&exchanged_2[u32((i - i_start) / 4)], 0u);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        atomicOr(&exchanged_2[u32((i - i_start) / 4)], vote);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        taken = atomicLoad(&exchanged_2[u32((i - i_start) / 4)]);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        out_1[args_1.out_start + u32(i)] = taken;
        vote_1 = select(0u, 1u << (u32(i - i_start) & 3u), in[args_1.in_start + u32(i)] > 2);
        if ((u32(i - i_start) & 3u) == 0u) {
            atomicStore(&exchanged_2[u32((i - i_start) / 4)], 0u);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        atomicOr(&exchanged_2[u32((i - i_start) / 4)], vote_1);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        taken_1 = atomicLoad(&exchanged_2[u32((i - i_start) / 4)]);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        vote_2 = select(0u, 1u << (u32(i - i_start) & 3u), in[args_1.in_start + u32(i)] > 1);
        if ((u32(i - i_start) & 3u) == 0u) {
            atomicStore(&exchanged_2[u32((i - i_start) / 4)], 0u);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        atomicOr(&exchanged_2[u32((i - i_start) / 4)], vote_2);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        taken_2 = atomicLoad(&exchanged_2[u32((i - i_start) / 4)]);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i_start + i32(item.x);
        let both: i32 = 4 * select(0, 1, taken_1 != 0u) + 8 * select(0, 1, taken_2 == 15u);
        flags[args_1.flags_start + u32(i)] = both + i32(u32(i - i_start) & 3u);
    }
}

@compute @workgroup_size(4, 1, 1)
fn tree_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var part: f64;
    var taken: f64;
    var part_1: f64;
    var taken_1: f64;
    {
        let i: i32 = i32(item.x);
        part = in_1[args.in_start + u32(i)];
        exchanged_3[u32(4 * (i / 4)) + (u32(i) & 3u)] = part;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 2u) & 3u;
        taken = exchanged_3[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        part_1 = part + taken;
        exchanged_3[u32(4 * (i / 4)) + (u32(i) & 3u)] = part_1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 1u) & 3u;
        taken_1 = exchanged_3[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let part_2: f64 = part_1 + taken_1;
        out_2[args.out_start + u32(i)] = part_2;
    }
}

@compute @workgroup_size(8, 3, 1)
fn rows_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var part: i32;
    var taken: i32;
    var part_1: i32;
    var taken_1: i32;
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    {
        let i: i32 = i32(item.x) * 2;
        let k: i32 = i32(item.y);
        let at: i32 = 24 * o + 8 * k + i / 2;
        part = in_2[args_2.in_start + u32(at)];
        exchanged_4[u32(4 * (k * 2 + i / 2 / 4)) + (u32(i / 2) & 3u)] = part;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x) * 2;
        let k: i32 = i32(item.y);
        let from_1: u32 = ((u32(i / 2) & 3u) ^ 2u) & 3u;
        taken = exchanged_4[u32(4 * (k * 2 + i / 2 / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x) * 2;
        let k: i32 = i32(item.y);
        part_1 = part + taken;
        exchanged_4[u32(4 * (k * 2 + i / 2 / 4)) + (u32(i / 2) & 3u)] = part_1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x) * 2;
        let k: i32 = i32(item.y);
        let from_1: u32 = ((u32(i / 2) & 3u) ^ 1u) & 3u;
        taken_1 = exchanged_4[u32(4 * (k * 2 + i / 2 / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x) * 2;
        let k: i32 = i32(item.y);
        let at: i32 = 24 * o + 8 * k + i / 2;
        let part_2: i32 = part_1 + taken_1;
        let sum: i32 = part_2;
        if (i32(u32(i / 2) & 3u) == 0) {
            out_3[args_2.out_start + u32(at / 4)] = sum;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn in_loops_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var value: i32;
    var taken: i32;
    {
        let i: i32 = i32(item.x);
        value = in_2[args_3.in_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    for (var k: i32 = 0; k < args_3.n; k += 1) {
        if (args_3.n == 3) {
            {
                let i: i32 = i32(item.x);
                exchanged_5[u32(4 * (i / 4)) + (u32(i) & 3u)] = value;
            }
            workgroupBarrier();
            storageBarrier();
            {
                let i: i32 = i32(item.x);
                let from_1: u32 = select(u32(i) & 3u, (u32(i) & 3u) - 1u, (u32(i) & 3u) - 1u < 4u) & 3u;
                taken = exchanged_5[u32(4 * (i / 4)) + from_1];
            }
            workgroupBarrier();
            storageBarrier();
            {
                value += taken;
            }
            workgroupBarrier();
            storageBarrier();
        }
    }
    {
        let i: i32 = i32(item.x);
        out_3[args_3.out_start + u32(i)] = value;
    }
}

@compute @workgroup_size(4, 1, 1)
fn small_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var part: f32;
    var taken: f32;
    var part_1: f32;
    var taken_1: f32;
    {
        let i: i32 = i32(item.x);
        let h: u32 = okl_f16_of_f32(f32(okl_in_3_load_i8(args.in_start + u32(i))) * 0.25f);
        part = okl_f32_of_f16(h);
        exchanged_6[u32(4 * (i / 4)) + (u32(i) & 3u)] = part;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 2u) & 3u;
        taken = exchanged_6[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        part_1 = part + taken;
        exchanged_6[u32(4 * (i / 4)) + (u32(i) & 3u)] = part_1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 1u) & 3u;
        taken_1 = exchanged_6[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let part_2: f32 = part_1 + taken_1;
        out_4[args.out_start + u32(i)] = 2.0f * part_2;
    }
}

@compute @workgroup_size(64, 1, 1)
fn wide_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var part: i32;
    var taken: i32;
    var part_1: i32;
    var taken_1: i32;
    var part_2: i32;
    var taken_2: i32;
    var part_3: i32;
    var taken_3: i32;
    var part_4: i32;
    var taken_4: i32;
    {
        let i: i32 = i32(item.x);
        part = in[args.in_start + u32(i)];
        exchanged_7[u32(32 * (i / 32)) + (u32(i) & 31u)] = part;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 16u) & 31u;
        taken = exchanged_7[u32(32 * (i / 32)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        part_1 = part + taken;
        exchanged_7[u32(32 * (i / 32)) + (u32(i) & 31u)] = part_1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 8u) & 31u;
        taken_1 = exchanged_7[u32(32 * (i / 32)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        part_2 = part_1 + taken_1;
        exchanged_7[u32(32 * (i / 32)) + (u32(i) & 31u)] = part_2;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 4u) & 31u;
        taken_2 = exchanged_7[u32(32 * (i / 32)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        part_3 = part_2 + taken_2;
        exchanged_7[u32(32 * (i / 32)) + (u32(i) & 31u)] = part_3;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 2u) & 31u;
        taken_3 = exchanged_7[u32(32 * (i / 32)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        part_4 = part_3 + taken_3;
        exchanged_7[u32(32 * (i / 32)) + (u32(i) & 31u)] = part_4;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 1u) & 31u;
        taken_4 = exchanged_7[u32(32 * (i / 32)) + from_1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        let part_5: i32 = part_4 + taken_4;
        let sum: i32 = part_5;
        if (i32(u32(i) & 31u) == 0) {
            out[args.out_start + u32(i / 32)] = sum;
        }
    }
}
