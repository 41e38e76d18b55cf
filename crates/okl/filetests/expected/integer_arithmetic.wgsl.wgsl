// WGSL, made from OKL.
// @kernel divide: divide_0
// @kernel bits: bits_0
// @kernel wraps: wraps_0
// @kernel precedence: precedence_0

struct Args {
    n: i32,
    a_start: u32,
    b_start: u32,
    q_start: u32,
    r_start: u32,
    faults_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> b: array<i32>;
@group(0) @binding(3) var<storage, read_write> q: array<i32>;
@group(0) @binding(4) var<storage, read_write> r: array<i32>;
@group(0) @binding(5) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@group(0) @binding(0) var<storage, read_write> x_1: array<u32>;

fn report_division_of_faults(divisor: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
    var before: u32;
    before = atomicExchange(&faults[faults_start], 1u);
    if (before == 0u) {
        atomicStore(&faults[faults_start + 1u], place);
        atomicStore(&faults[faults_start + 2u], divisor);
        atomicStore(&faults[faults_start + 6u], group_x);
        atomicStore(&faults[faults_start + 9u], item_x);
    }
}

fn quotient_int_of_faults(dividend: i32, divisor: i32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(divisor) + 1u > 1u) {
        return dividend / divisor;
    }
    if (divisor != 0 && dividend != (-2147483647 - 1)) {
        return -dividend;
    }
    report_division_of_faults(u32(divisor), place, group_x, item_x, faults_start);
    return 0;
}

fn remainder_int_of_faults(dividend: i32, divisor: i32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(divisor) + 1u > 1u) {
        return dividend % divisor;
    }
    if (divisor != 0 && dividend != (-2147483647 - 1)) {
        return 0;
    }
    report_division_of_faults(u32(divisor), place, group_x, item_x, faults_start);
    return 0;
}

fn divide_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        q[args.q_start + u32(i)] = quotient_int_of_faults(a[args.a_start + u32(i)], b[args.b_start + u32(i)], 0u, u32(i_block / 4), u32(i - i_block), args.faults_start);
        r[args.r_start + u32(i)] = remainder_int_of_faults(a[args.a_start + u32(i)], b[args.b_start + u32(i)], 1u, u32(i_block / 4), u32(i - i_block), args.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn divide_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    divide_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn divide_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let index: i32 = a[args.a_start + u32(i)];
        let index_next: i32 = a[args.a_start + u32(i_next)];
        let value: i32 = quotient_int_of_faults(index, b[args.b_start + u32(i)], 0u, u32(i_block / 4), u32(i - i_block), args.faults_start);
        let value_next: i32 = quotient_int_of_faults(index_next, b[args.b_start + u32(i_next)], 0u, u32(i_block_next / 4), u32(i_next - i_block_next), args.faults_start);
        q[args.q_start + u32(i)] = value;
        q[args.q_start + u32(i_next)] = value_next;
        let index_1: i32 = a[args.a_start + u32(i)];
        let index_next_1: i32 = a[args.a_start + u32(i_next)];
        let value_1: i32 = remainder_int_of_faults(index_1, b[args.b_start + u32(i)], 1u, u32(i_block / 4), u32(i - i_block), args.faults_start);
        let value_next_1: i32 = remainder_int_of_faults(index_next_1, b[args.b_start + u32(i_next)], 1u, u32(i_block_next / 4), u32(i_next - i_block_next), args.faults_start);
        r[args.r_start + u32(i)] = value_1;
        r[args.r_start + u32(i_next)] = value_next_1;
    } else {
        divide_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            divide_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn bits_0() {
    x[args_1.x_start] = 40;
    x[args_1.x_start + 1u] = -3;
    x[args_1.x_start + 2u] = 2147483644;
    x[args_1.x_start + 3u] = 1;
    x[args_1.x_start + 4u] = 12;
    x[args_1.x_start + 5u] = 8;
    x[args_1.x_start + 6u] = 6;
    x[args_1.x_start + 7u] = 14;
    x[args_1.x_start + 8u] = -13;
    x[args_1.x_start + 9u] = 255;
}

@compute @workgroup_size(1, 1, 1)
fn wraps_0() {
    x_1[args_1.x_start] = 4294967295u;
    x_1[args_1.x_start + 1u] = 0u;
    x_1[args_1.x_start + 2u] = 4294967291u;
    x_1[args_1.x_start + 3u] = 1u;
}

@compute @workgroup_size(1, 1, 1)
fn precedence_0() {
    x[args_1.x_start] = 14;
    x[args_1.x_start + 1u] = 20;
    x[args_1.x_start + 2u] = 1;
    x[args_1.x_start + 3u] = 6;
    x[args_1.x_start + 4u] = 7;
    x[args_1.x_start + 5u] = 1;
    x[args_1.x_start + 6u] = 24;
    x[args_1.x_start + 7u] = -6;
}
