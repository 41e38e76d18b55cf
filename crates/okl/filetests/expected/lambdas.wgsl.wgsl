// WGSL, made from OKL.
// @kernel lambdas: lambdas_0
// @kernel when: when_0
// @kernel nested: nested_0
// @kernel shared_memory: shared_memory_0
// @kernel deep: deep_0

struct Args {
    n: i32,
    a: f64,
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    y_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(2) var<storage, read_write> x: array<f64>;
@group(0) @binding(3) var<storage, read_write> y: array<f64>;
@group(0) @binding(1) var<storage, read_write> y_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> y_2: array<f32>;
@group(0) @binding(1) var<storage, read_write> x_1: array<f64>;
@group(0) @binding(2) var<storage, read_write> y_3: array<f64>;
var<workgroup> s: array<f64, 4>;

fn at_of_x(j: i32, x_start: u32) -> f64 {
    return x[x_start + u32(j)];
}

fn scaled(v: f64, a: f64) -> f64 {
    return a * v;
}

fn clamp_1(v: f64, low: f64) -> f64 {
    if (v < low) {
        return low;
    }
    return v;
}

fn plus(a: f64, b: f64) -> f64 {
    return a + b;
}

fn clamp_2(v: i32, low: i32) -> i32 {
    if (v < low) {
        return low;
    }
    return v;
}

fn limit(v: i32) -> f64 {
    return f64(v) / 2.0lf;
}

fn store_of_y(v: f64, y_start: u32, i: i32) {
    y[y_start + u32(i)] = v;
}

fn then(v: i32, k: i32) -> i32 {
    return v + k;
}

fn now(v: i32, k: i32) -> i32 {
    return v + k;
}

fn base(k: i32, i: i32) -> i32 {
    return k + i;
}

fn then_1(k: i32, base_i: i32) -> f32 {
    let values: array<f32, 3> = array<f32, 3>(1.0f, 2.0f, 3.0f);
    return values[k] * f32(base(k, base_i)) + 0.5f;
}

fn twice(k: i32, x: f32) -> f32 {
    let sum: f32 = x;
    return sum * f32(k);
}

fn doubled(x: f32) -> f32 {
    return twice(2, x);
}

fn twice_1(k: i32, x: i32) -> i32 {
    let sum: i32 = x;
    return sum * k;
}

fn doubled_1(x: i32) -> i32 {
    return twice_1(2, x);
}

fn put_of_s(v: f64, s_start: u32, i: i32) {
    s[s_start + u32(i)] = v;
}

fn mirrored_of_s(s_start: u32, i: i32) -> f64 {
    return s[s_start + u32(3 - i)];
}

fn up(v: i32) -> i32 {
    return v + 1;
}

@compute @workgroup_size(2, 1, 1)
fn lambdas_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        store_of_y(plus(scaled(at_of_x(i, args.x_start), args.a), clamp_1(at_of_x(i, args.x_start) * at_of_x(i, args.x_start), 4.0lf)) + f64(clamp_2(i, 1)) + limit(12), args.y_start, i);
    }
}

fn when_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        var k: i32 = i + 1;
        let k_1: i32 = k;
        k = i + 11;
        y_1[args_1.y_start + u32(2 * i)] = then(10, k_1);
        y_1[args_1.y_start + u32(2 * i + 1)] = now(10, k);
    }
}

@compute @workgroup_size(2, 1, 1)
fn when_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    when_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn when_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        var k: i32 = i + 1;
        let k_1: i32 = k;
        let value: i32 = i + 11;
        var k_next: i32 = i_next + 1;
        let k_next_1: i32 = k_next;
        let value_next: i32 = i_next + 11;
        k = value;
        k_next = value_next;
        let value_1: i32 = then(10, k_1);
        let value_next_1: i32 = then(10, k_next_1);
        y_1[args_1.y_start + u32(2 * i)] = value_1;
        y_1[args_1.y_start + u32(2 * i_next)] = value_next_1;
        let value_2: i32 = now(10, k);
        let value_next_2: i32 = now(10, k_next);
        y_1[args_1.y_start + u32(2 * i + 1)] = value_2;
        y_1[args_1.y_start + u32(2 * i_next + 1)] = value_next_2;
    } else {
        when_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            when_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

fn nested_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        y_2[args_1.y_start + u32(i)] = then_1(2, i) + doubled(1.5f) + f32(doubled_1(i));
    }
}

@compute @workgroup_size(2, 1, 1)
fn nested_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    nested_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn nested_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let value: f32 = then_1(2, i) + doubled(1.5f) + f32(doubled_1(i));
        let value_next: f32 = then_1(2, i_next) + doubled(1.5f) + f32(doubled_1(i_next));
        y_2[args_1.y_start + u32(i)] = value;
        y_2[args_1.y_start + u32(i_next)] = value_next;
    } else {
        nested_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            nested_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn shared_memory_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_2.first_x);
    {
        let i: i32 = i32(item.x);
        put_of_s(x_1[args_2.x_start + u32(4 * o + i)], 0u, i);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        y_3[args_2.y_start + u32(4 * o + i)] = mirrored_of_s(0u, i);
    }
}

fn deep_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        y_1[args_1.y_start + u32(i)] = up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(i))))))))))))))))))))))))))))))))))))))))))));
    }
}

@compute @workgroup_size(2, 1, 1)
fn deep_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    deep_0_group(vec3<u32>(group.x + 65535 * group.y + args_1.first_x, 0u, 0u), item);
}

@compute @workgroup_size(2, 1, 1)
fn deep_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args_1.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 2;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 2;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args_1.end_x && i < args_1.n && i_next < args_1.n) {
        let value: i32 = up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(i))))))))))))))))))))))))))))))))))))))))))));
        let value_next: i32 = up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(up(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(doubled_1(i_next))))))))))))))))))))))))))))))))))))))))))));
        y_1[args_1.y_start + u32(i)] = value;
        y_1[args_1.y_start + u32(i_next)] = value_next;
    } else {
        deep_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args_1.end_x) {
            deep_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}
