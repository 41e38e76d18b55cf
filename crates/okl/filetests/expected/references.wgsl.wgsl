// WGSL, made from OKL.
// @kernel scalars: scalars_0
// @kernel memories: memories_0
// @kernel copied: copied_0

struct pair {
    first: i32,
    second: i32,
}

struct int3 {
    x: i32,
    y: i32,
    z: i32,
}

struct Args {
    n: i32,
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
    out_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    shift: i32,
    scale: pair,
    x_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
var<private> once: bool;
var<private> a: i32;
var<private> value_1: i32;
var<private> value_2: i32;
var<private> p: pair;
@group(0) @binding(0) var<storage, read_write> x_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> out_1: array<i32>;
var<workgroup> s: array<i32, 4>;
var<private> kept: i32;
var<private> three: array<i32, 3>;
var<private> v: int3;
@group(0) @binding(3) var<storage, read_write> x_2: array<i32>;

fn twice_of_a() {
    a *= 2;
}

fn next_of_a_value_once() -> i32 {
    if (once) {
        return a;
    }
    once = true;
    a += value_1;
    twice_of_a();
    return a;
}

fn next_of_a_value_once_1() -> i32 {
    if (once) {
        return a;
    }
    once = true;
    a += value_2;
    twice_of_a();
    return a;
}

fn twice_of_x(x_start: u32) {
    x[x_start] *= 2;
}

fn swap_of_p() {
    let first: i32 = p.first;
    p.first = p.second;
    p.second = first;
}

fn twice_of_kept() {
    kept *= 2;
}

fn twice_of_s(x_start: u32) {
    s[x_start] *= 2;
}

fn sum_of_three_v(values_start: u32) -> i32 {
    v.x += three[values_start];
    return three[values_start] + three[values_start + 1u] + three[values_start + 2u] + v.x;
}

@compute @workgroup_size(2, 1, 1)
fn scalars_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        let here: i32 = i;
        once = false;
        a = 50;
        value_1 = here + 3 - 2;
        var result_1: i32;
        result_1 = next_of_a_value_once();
        value_2 = 100;
        var result_2: i32;
        result_2 = next_of_a_value_once_1();
        let result: i32 = result_1 + result_2;
        twice_of_x(args.x_start + u32(i));
        p = pair(result, a);
        swap_of_p();
        p.second += x[args.x_start + u32(i)];
        out[args.out_start + u32(i)] = p.first - 102 - 2 * i + (p.second - 204 - 4 * i) + 100 * (i + 1) + 2;
    }
}

@compute @workgroup_size(4, 1, 1)
fn memories_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        s[i] = x_1[args_1.x_start + u32(i)];
        kept = 2;
        twice_of_kept();
        twice_of_s(u32(i));
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        three = array<i32, 3>(s[i] / 2, 0, 0);
        v = int3(1, 1, 1);
        var result: i32;
        result = sum_of_three_v(0u);
        s[i] = result - 1 - s[i] + s[i] / 2;
        out_1[args_1.out_start + u32(i)] = (s[i] + kept) * three[0] + v.x;
    }
}

fn copied_0_group(group: vec3<u32>, item: vec3<u32>) {
    var scale = args_2.scale;
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        x_2[args_2.x_start + u32(i)] = scale.first * (x_2[args_2.x_start + u32(i)] + args_2.shift) + scale.second;
    }
}

@compute @workgroup_size(2, 1, 1)
fn copied_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    copied_0_group(vec3<u32>(group.x + 65535 * group.y + args_2.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn copied_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var scale = args_2.scale;
    let group_x: u32 = args_2.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_2.end_x && i < args_2.n && i_next < args_2.n) {
        let value: i32 = scale.first * (x_2[args_2.x_start + u32(i)] + args_2.shift) + scale.second;
        let value_next: i32 = scale.first * (x_2[args_2.x_start + u32(i_next)] + args_2.shift) + scale.second;
        x_2[args_2.x_start + u32(i)] = value;
        x_2[args_2.x_start + u32(i_next)] = value_next;
    } else {
        copied_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_2.end_x) {
            copied_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
