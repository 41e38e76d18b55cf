// WGSL, made from OKL.
// @kernel votes: votes_0
// @kernel rows: rows_0
// @kernel wide: wide_0
// @kernel smaller: smaller_0

struct Args {
    in_start: u32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    in_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    in_start: u32,
    out_start: u32,
    sum_start: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(0) var<storage, read_write> in: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> in_1: array<i32>;
@group(0) @binding(2) var<storage, read_write> out_1: array<i32>;
@group(0) @binding(0) var<storage, read_write> in_2: array<i64>;
@group(0) @binding(1) var<storage, read_write> out_2: array<i64>;
@group(0) @binding(2) var<storage, read_write> sum: array<f64>;
@group(0) @binding(1) var<storage, read_write> out_3: array<i32>;
var<workgroup> sum_1: i32;
var<workgroup> exchanged: array<i32, 4>;

// Vulkan takes 64-bit integers here only where the device says so (`shaderSubgroupExtendedTypes`), which wgpu does not ask for.
fn okl_shuffle_u64(value: u64, lane: u32) -> u64 {
    let low = subgroupShuffle(u32(value), lane);
    let high = subgroupShuffle(u32(value >> 32u), lane);
    return (u64(high) << 32u) | u64(low);
}

fn okl_shuffle_i64(value: i64, lane: u32) -> i64 {
    return bitcast<i64>(okl_shuffle_u64(bitcast<u64>(value), lane));
}

@compute @workgroup_size(8, 1, 1)
fn votes_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var exchanged: u32;
    var vote: u32;
    var taken: u32;
    {
        let i: i32 = i32(item.x);
        vote = select(0u, 1u << (u32(i) & 3u), in[args.in_start + u32(i)] > 2);
        if ((u32(i) & 3u) == 0u) {
            exchanged = 0u;
        }
    }
    {
        let i: i32 = i32(item.x);
        exchanged = vote;
    }
    {
        let i: i32 = i32(item.x);
        taken = ((subgroupBallot(exchanged != 0u).x >> (item.x & 28u)) & 0xfu);
    }
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(i)] = taken;
    }
}

@compute @workgroup_size(8, 3, 1)
fn rows_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var exchanged: i32;
    var taken: i32;
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    {
        let i: i32 = i32(item.x);
        let k: i32 = i32(item.y);
        let at: i32 = 24 * o + 8 * k + i;
        exchanged = in_1[args_1.in_start + u32(at)];
    }
    {
        let i: i32 = i32(item.x);
        let k: i32 = i32(item.y);
        let from_1: u32 = u32(3 - i32(u32(i) & 3u)) & 3u;
        taken = subgroupShuffle(exchanged, ((item.x + 8u * item.y) & 28u) + from_1);
    }
    {
        let i: i32 = i32(item.x);
        let k: i32 = i32(item.y);
        let at: i32 = 24 * o + 8 * k + i;
        out_1[args_1.out_start + u32(at)] = taken;
    }
}

@compute @workgroup_size(64, 1, 1)
fn wide_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var exchanged: i64;
    var exchanged_1: f64;
    var taken: i64;
    var part: f64;
    var taken_1: f64;
    var part_1: f64;
    var taken_2: f64;
    var part_2: f64;
    var taken_3: f64;
    var part_3: f64;
    var taken_4: f64;
    var part_4: f64;
    var taken_5: f64;
    {
        let i: i32 = i32(item.x);
        exchanged = in_2[args_2.in_start + u32(i)];
    }
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 31u) & 31u;
        taken = okl_shuffle_i64(exchanged, from_1);
    }
    {
        let i: i32 = i32(item.x);
        out_2[args_2.out_start + u32(i)] = taken;
        part = f64(in_2[args_2.in_start + u32(i)]);
        exchanged_1 = part;
    }
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 16u) & 31u;
        taken_1 = subgroupShuffle(exchanged_1, from_1);
    }
    {
        let i: i32 = i32(item.x);
        part_1 = part + taken_1;
        exchanged_1 = part_1;
    }
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 8u) & 31u;
        taken_2 = subgroupShuffle(exchanged_1, from_1);
    }
    {
        let i: i32 = i32(item.x);
        part_2 = part_1 + taken_2;
        exchanged_1 = part_2;
    }
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 4u) & 31u;
        taken_3 = subgroupShuffle(exchanged_1, from_1);
    }
    {
        let i: i32 = i32(item.x);
        part_3 = part_2 + taken_3;
        exchanged_1 = part_3;
    }
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 2u) & 31u;
        taken_4 = subgroupShuffle(exchanged_1, from_1);
    }
    {
        let i: i32 = i32(item.x);
        part_4 = part_3 + taken_4;
        exchanged_1 = part_4;
    }
    {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 31u) ^ 1u) & 31u;
        taken_5 = subgroupShuffle(exchanged_1, from_1);
    }
    {
        let i: i32 = i32(item.x);
        let part_5: f64 = part_4 + taken_5;
        let total: f64 = part_5;
        if (i32(u32(i) & 31u) == 0) {
            sum[args_2.sum_start + u32(i / 32)] = total;
        }
    }
}

@compute @workgroup_size(8, 1, 1)
fn smaller_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var part: i32;
    var taken: i32;
    var part_1: i32;
    var taken_1: i32;
    if (item.x < 4u) {
        let i: i32 = i32(item.x);
        part = in[args.in_start + u32(i)];
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = part;
    }
    workgroupBarrier();
    if (item.x < 4u) {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 2u) & 3u;
        taken = exchanged[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    if (item.x < 4u) {
        let i: i32 = i32(item.x);
        part_1 = part + taken;
        exchanged[u32(4 * (i / 4)) + (u32(i) & 3u)] = part_1;
    }
    workgroupBarrier();
    if (item.x < 4u) {
        let i: i32 = i32(item.x);
        let from_1: u32 = ((u32(i) & 3u) ^ 1u) & 3u;
        taken_1 = exchanged[u32(4 * (i / 4)) + from_1];
    }
    workgroupBarrier();
    if (item.x < 4u) {
        let i: i32 = i32(item.x);
        let part_2: i32 = part_1 + taken_1;
        let total: i32 = part_2;
        if (i == 0) {
            sum_1 = total;
        }
    }
    workgroupBarrier();
    if (item.x < 8u) {
        let i: i32 = i32(item.x);
        out_3[args.out_start + u32(i)] = sum_1;
    }
}
