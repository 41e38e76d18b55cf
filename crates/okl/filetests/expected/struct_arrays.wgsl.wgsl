// WGSL, made from OKL.
// @kernel smooth: smooth_0
// @kernel exchange: exchange_0

struct Element {
    weight: f32,
    node: array<f64, 3>,
}

struct Pair {
    first: i32,
    second: i32,
}

struct Args {
    e_start: u32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(0) var<storage, read_write> e: array<Element>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;
var<workgroup> s: array<Pair, 4>;

@compute @workgroup_size(2, 1, 1)
fn smooth_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    var copies: array<Element, 2>;
    copies[0] = e[args.e_start + u32(i)];
    copies[1] = copies[0];
    var sum: f64 = 0.0lf;
    for (var k: i32 = 0; k < 3; k += 1) {
        sum += copies[1].node[k];
    }
    out[args.out_start + u32(i)] = f64(copies[0].weight) * sum;
}

@compute @workgroup_size(4, 1, 1)
fn exchange_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var mine: Pair;
    {
        let i: i32 = i32(item.x);
        mine.first = i;
        mine.second = 10 * i;
        s[3 - i] = mine;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        mine = s[i];
        out_1[args_1.out_start + u32(i)] = mine.first + mine.second;
    }
}
