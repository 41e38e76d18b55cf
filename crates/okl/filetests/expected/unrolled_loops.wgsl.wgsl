// WGSL, made from OKL.
// @kernel tiles: tiles_0
// @kernel triangle: triangle_0
// @kernel asked: asked_0
// @kernel counters: counters_0
// @kernel kept: kept_0
// @kernel large: large_0
// @kernel given: given_0

struct Args {
    x_start: u32,
    y_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    y_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    x_start: u32,
    y_start: u32,
    faults_start: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(0) var<storage, read_write> x_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> y_1: array<i32>;
@group(0) @binding(0) var<storage, read_write> y_2: array<i32>;
@group(0) @binding(1) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> x_2: array<i32>;
@group(0) @binding(2) var<storage, read_write> y_3: array<i32>;
@group(0) @binding(3) var<storage, read_write> faults_1: array<atomic<u32>>;
var<private> own: array<i32, 4>;

fn report_fault_of_faults(index: i64, length: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
    var before: u32;
    before = atomicExchange(&faults[faults_start], 1u);
    if (before == 0u) {
        atomicStore(&faults[faults_start + 1u], place);
        atomicStore(&faults[faults_start + 2u], u32(index));
        atomicStore(&faults[faults_start + 3u], u32(index >> 32u));
        atomicStore(&faults[faults_start + 4u], u32(length));
        atomicStore(&faults[faults_start + 5u], u32(length >> 32u));
        atomicStore(&faults[faults_start + 6u], group_x);
        atomicStore(&faults[faults_start + 9u], item_x);
    }
}

fn is_in_range_of_faults(index: i64, length: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> bool {
    if (u64(index) < length) {
        return true;
    }
    report_fault_of_faults(index, length, place, group_x, item_x, faults_start);
    return false;
}

fn report_fault_int_of_faults(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
    var before: u32;
    before = atomicExchange(&faults_1[faults_start], 1u);
    if (before == 0u) {
        atomicStore(&faults_1[faults_start + 1u], place);
        atomicStore(&faults_1[faults_start + 2u], u32(index));
        atomicStore(&faults_1[faults_start + 3u], u32(index >> 31u));
        atomicStore(&faults_1[faults_start + 4u], length);
        atomicStore(&faults_1[faults_start + 5u], 0u);
        atomicStore(&faults_1[faults_start + 6u], group_x);
        atomicStore(&faults_1[faults_start + 9u], item_x);
    }
}

fn index_or_zero_int_of_faults(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(index) < length) {
        return index;
    }
    report_fault_int_of_faults(index, length, place, group_x, item_x, faults_start);
    return 0;
}

fn scale_of_own(values_start: u32, factor: i32) {
    own[values_start] *= factor;
    own[values_start + 1u] *= factor;
    own[values_start + 2u] *= factor;
    own[values_start + 3u] *= factor;
}

fn total_of_own(values_start: u32) -> i32 {
    var sum: i32 = 0;
    var square: i32 = own[values_start];
    square *= 2;
    sum += square;
    var square_1: i32 = own[values_start + 1u];
    square_1 *= 2;
    sum += square_1;
    var square_2: i32 = own[values_start + 2u];
    square_2 *= 2;
    sum += square_2;
    return sum;
}

@compute @workgroup_size(2, 1, 1)
fn tiles_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    var sums: array<f32, 9>;
    var row: array<f32, 3>;
    sums[0] = 0.0f;
    sums[1] = 0.0f;
    sums[2] = 0.0f;
    sums[3] = 0.0f;
    sums[4] = 0.0f;
    sums[5] = 0.0f;
    sums[6] = 0.0f;
    sums[7] = 0.0f;
    sums[8] = 0.0f;
    for (var k: i32 = 0; k < 2; k += 1) {
        var value: f32 = x[args.x_start];
        value *= 0.5f;
        row[0] = value + f32(i);
        var value_1: f32 = x[args.x_start + 1u];
        value_1 *= 0.5f;
        row[1] = value_1 + f32(i);
        var value_2: f32 = x[args.x_start + 2u];
        value_2 *= 0.5f;
        row[2] = value_2 + f32(i);
        sums[0] += row[0] * x[args.x_start + 3u];
        sums[1] += row[0] * x[args.x_start + 4u];
        sums[2] += row[0] * x[args.x_start + 5u];
        sums[3] += row[1] * x[args.x_start + 3u];
        sums[4] += row[1] * x[args.x_start + 4u];
        sums[5] += row[1] * x[args.x_start + 5u];
        sums[6] += row[2] * x[args.x_start + 3u];
        sums[7] += row[2] * x[args.x_start + 4u];
        sums[8] += row[2] * x[args.x_start + 5u];
    }
    y[args.y_start + u32(9 * i + 6)] = sums[6];
    y[args.y_start + u32(9 * i + 6 + 1)] = sums[7];
    y[args.y_start + u32(9 * i + 6 + 2)] = sums[8];
    y[args.y_start + u32(9 * i + 3)] = sums[3];
    y[args.y_start + u32(9 * i + 3 + 1)] = sums[4];
    y[args.y_start + u32(9 * i + 3 + 2)] = sums[5];
    y[args.y_start + u32(9 * i)] = sums[0];
    y[args.y_start + u32(9 * i + 1)] = sums[1];
    y[args.y_start + u32(9 * i + 2)] = sums[2];
}

@compute @workgroup_size(4, 1, 1)
fn triangle_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var own: array<i32, 6>;
    {
        let i: i32 = i32(item.x);
        own[0] = x_1[args.x_start + u32(i)] * 10;
        own[1] = x_1[args.x_start + u32(i)] * 2;
        own[2] = x_1[args.x_start + u32(i)] * 2 * 10;
        own[3] = x_1[args.x_start + u32(i)] * 3;
        own[4] = x_1[args.x_start + u32(i)] * 3;
        own[5] = x_1[args.x_start + u32(i)] * 3 * 10;
    }
    workgroupBarrier();
    {
        let i: i32 = i32(item.x);
        var sum: i32 = 0;
        if (x_1[args.x_start + u32(i)] > 0) {
            sum = 2 * sum + own[5];
            sum = 2 * sum + own[4];
            sum = 2 * sum + own[3];
            sum = 2 * sum + own[2];
            sum = 2 * sum + own[1];
            sum = 2 * sum + own[0];
        }
        y_1[args.y_start + u32(i)] = sum;
    }
}

@compute @workgroup_size(4, 1, 1)
fn asked_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    var sum: i32 = 0;
    sum += x_1[args.x_start + u32(i)];
    sum += 2 * x_1[args.x_start + u32(i)];
    sum += x_1[args.x_start + u32(i)];
    sum += x_1[args.x_start + u32(i)];
    for (var r: i32 = 0; r < 4; r += 1) {
        sum += r * x_1[args.x_start + u32(i)];
    }
    for (var s: i32 = 0; s < 4; s += 1) {
        sum += s * x_1[args.x_start + u32(i)];
    }
    y_1[args.y_start + u32(i)] = sum;
}

@compute @workgroup_size(1, 1, 1)
fn counters_0() {
    let o: i32 = 0;
    let i: i32 = 0;
    var digits: array<i32, 4>;
    {
        digits[0] = 1;
    }
    {
        digits[1] = 2;
    }
    {
        digits[2] = 3;
    }
    {
        digits[3] = 4;
    }
    var number: i32 = 0;
    number += digits[0] * 1000;
    number += digits[1] * 100;
    number += digits[2] * 10;
    number += digits[3];
    y_2[args_1.y_start] = number;
    number = 0;
    number = 10 * number + digits[0];
    number = 10 * number + digits[1];
    number = 10 * number + digits[2];
    y_2[args_1.y_start + 1u] = number;
    digits[0] = 3;
    digits[1] = 4;
    digits[2] = 5;
    digits[2] += digits[3];
    digits[1] += digits[2];
    digits[0] += digits[1];
    y_2[args_1.y_start + 2u] = digits[0];
}

@compute @workgroup_size(4, 1, 1)
fn kept_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = 0;
    let i: i32 = i32(item.x);
    var own: array<i32, 4>;
    var table: array<i32, 4>;
    for (var p: i32 = 0; p < 4; p += 1) {
        own[p] = (p + 1) * x_2[args_2.x_start + u32(i)];
        table[p] = 3 - p;
    }
    var sum: i32 = table[index_or_zero_int_of_faults(x_2[args_2.x_start + u32(i)] - 1, 4u, 1u, u32(o), u32(i), args_2.faults_start)];
    for (var p: i32 = 0; p < 4; p += 1) {
        if (p == args_2.n) {
            break;
        }
        sum += own[p];
    }
    for (var p: i32 = 0; p < args_2.n; p += 1) {
        sum += own[p];
    }
    for (var p: i32 = 0; p < 3; p += 1) {
        p += 1;
        sum += own[index_or_zero_int_of_faults(p, 4u, 2u, u32(o), u32(i), args_2.faults_start)];
    }
    y_3[args_2.y_start + u32(i)] = sum;
}

@compute @workgroup_size(4, 1, 1)
fn large_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    var own: array<i32, 128>;
    var factors: array<i32, 4>;
    factors[0] = x_1[args.x_start + u32(i)];
    factors[1] = 2 * x_1[args.x_start + u32(i)];
    factors[2] = 3 * x_1[args.x_start + u32(i)];
    factors[3] = 4 * x_1[args.x_start + u32(i)];
    for (var p: i32 = 0; p < 128; p += 1) {
        own[p] = 0;
    }
    for (var p: i32 = 0; p < 128; p += 1) {
        own[p] += factors[0] * factors[0];
        own[p] += factors[0] * factors[1];
        own[p] += factors[0] * factors[2];
        own[p] += factors[0] * factors[3];
        own[p] += factors[1] * factors[0];
        own[p] += factors[1] * factors[1];
        own[p] += factors[1] * factors[2];
        own[p] += factors[1] * factors[3];
        own[p] += factors[2] * factors[0];
        own[p] += factors[2] * factors[1];
        own[p] += factors[2] * factors[2];
        own[p] += factors[2] * factors[3];
        own[p] += factors[3] * factors[0];
        own[p] += factors[3] * factors[1];
        own[p] += factors[3] * factors[2];
        own[p] += factors[3] * factors[3];
    }
    y_1[args.y_start + u32(i)] = own[127];
}

@compute @workgroup_size(4, 1, 1)
fn given_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i: i32 = i32(item.x);
    own[0] = x_1[args.x_start + u32(i)];
    own[1] = x_1[args.x_start + u32(i)] * 2;
    own[2] = x_1[args.x_start + u32(i)] * 3;
    own[3] = x_1[args.x_start + u32(i)] * 4;
    scale_of_own(0u, 2);
    y_1[args.y_start + u32(i)] = total_of_own(1u);
}
