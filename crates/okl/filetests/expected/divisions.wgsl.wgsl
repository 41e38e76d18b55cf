// WGSL, made from OKL.
// @kernel loaded: loaded_0
// @kernel unsigned_loaded: unsigned_loaded_0
// @kernel wide: wide_0
// @kernel unsigned_wide: unsigned_wide_0
// @kernel narrow: narrow_0
// @kernel updates: updates_0
// @kernel atomics: v_atomics_0
// @kernel by_function: by_function_0
// @kernel guarded: guarded_0
// @kernel by_group: by_group_0
// @kernel proven: proven_0

enable wgpu_int16;

struct Args {
    a_start: u32,
    b_start: u32,
    q_start: u32,
    r_start: u32,
    faults_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    a_start: u32,
    b_start: u32,
    q_start: u32,
    faults_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    b_start: u32,
    q_start: u32,
    s_start: u32,
    faults_start: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    b_start: u32,
    q_start: u32,
    u_start: u32,
    faults_start: u32,
}

var<immediate> args_3: Args_3;

struct Args_4 {
    n: i32,
    m: i32,
    q_start: u32,
    start: i32,
    first_x: u32,
}

var<immediate> args_4: Args_4;

struct Args_5 {
    n: i32,
    m: i32,
    u_start: u32,
    q_start: u32,
    first_x: u32,
}

var<immediate> args_5: Args_5;

@group(0) @binding(0) var<storage, read_write> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> q: array<i32>;
@group(0) @binding(3) var<storage, read_write> r: array<i32>;
@group(0) @binding(4) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(0) var<storage, read_write> a_1: array<u32>;
@group(0) @binding(1) var<storage, read_write> b_1: array<u32>;
@group(0) @binding(2) var<storage, read_write> q_1: array<u32>;
@group(0) @binding(3) var<storage, read_write> faults_1: array<atomic<u32>>;
@group(0) @binding(0) var<storage, read_write> a_2: array<i64>;
@group(0) @binding(1) var<storage, read_write> b_2: array<i64>;
@group(0) @binding(2) var<storage, read_write> q_2: array<i64>;
@group(0) @binding(0) var<storage, read_write> a_3: array<u64>;
@group(0) @binding(1) var<storage, read_write> b_3: array<u64>;
@group(0) @binding(2) var<storage, read_write> q_3: array<u64>;
@group(0) @binding(0) var<storage, read_write> a_4: array<i16>;
@group(0) @binding(1) var<storage, read_write> b_4: array<i16>;
@group(0) @binding(0) var<storage, read_write> b_5: array<i32>;
@group(0) @binding(1) var<storage, read_write> q_4: array<i32>;
@group(0) @binding(2) var<storage, read_write> s: array<i32>;
@group(0) @binding(1) var<storage, read_write> q_5: array<atomic<i32>>;
@group(0) @binding(2) var<storage, read_write> u: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> u_1: array<i32>;
@group(0) @binding(3) var<storage, read_write> q_6: array<i32>;

fn okl_q_5_div_i32(at: u32, value: i32) -> i32 {
    var old: i32 = atomicLoad(&q_5[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&q_5[at], old, old / value);
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return old;
}

fn okl_q_5_mul_i32(at: u32, value: i32) -> i32 {
    var old: i32 = atomicLoad(&q_5[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&q_5[at], old, old * value);
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return old;
}

fn okl_u_div_u32(at: u32, value: u32) -> u32 {
    var old: u32 = atomicLoad(&u[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&u[at], old, old / value);
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return old;
}

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

fn report_division_of_faults_1(divisor: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
    var before: u32;
    before = atomicExchange(&faults_1[faults_start], 1u);
    if (before == 0u) {
        atomicStore(&faults_1[faults_start + 1u], place);
        atomicStore(&faults_1[faults_start + 2u], divisor);
        atomicStore(&faults_1[faults_start + 6u], group_x);
        atomicStore(&faults_1[faults_start + 9u], item_x);
    }
}

fn quotient_unsigned_int_of_faults(dividend: u32, divisor: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> u32 {
    if (divisor != 0u) {
        return dividend / divisor;
    }
    report_division_of_faults_1(0u, place, group_x, item_x, faults_start);
    return 0u;
}

fn remainder_unsigned_int_of_faults(dividend: u32, divisor: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> u32 {
    if (divisor != 0u) {
        return dividend % divisor;
    }
    report_division_of_faults_1(0u, place, group_x, item_x, faults_start);
    return 0u;
}

fn quotient_long_of_faults(dividend: i64, divisor: i64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i64 {
    if (u64(divisor) + 1lu > 1lu) {
        return dividend / divisor;
    }
    if (divisor != 0li && dividend != (-9223372036854775807li - 1li)) {
        return -dividend;
    }
    report_division_of_faults_1(u32(divisor), place, group_x, item_x, faults_start);
    return 0li;
}

fn remainder_long_of_faults(dividend: i64, divisor: i64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i64 {
    if (u64(divisor) + 1lu > 1lu) {
        return dividend % divisor;
    }
    if (divisor != 0li && dividend != (-9223372036854775807li - 1li)) {
        return 0li;
    }
    report_division_of_faults_1(u32(divisor), place, group_x, item_x, faults_start);
    return 0li;
}

fn quotient_unsigned_long_of_faults(dividend: u64, divisor: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> u64 {
    if (divisor != 0lu) {
        return dividend / divisor;
    }
    report_division_of_faults_1(0u, place, group_x, item_x, faults_start);
    return 0lu;
}

fn remainder_unsigned_long_of_faults(dividend: u64, divisor: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> u64 {
    if (divisor != 0lu) {
        return dividend % divisor;
    }
    report_division_of_faults_1(0u, place, group_x, item_x, faults_start);
    return 0lu;
}

fn quotient_int_of_faults_1(dividend: i32, divisor: i32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(divisor) + 1u > 1u) {
        return dividend / divisor;
    }
    if (divisor != 0 && dividend != (-2147483647 - 1)) {
        return -dividend;
    }
    report_division_of_faults_1(u32(divisor), place, group_x, item_x, faults_start);
    return 0;
}

fn remainder_int_of_faults_1(dividend: i32, divisor: i32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(divisor) + 1u > 1u) {
        return dividend % divisor;
    }
    if (divisor != 0 && dividend != (-2147483647 - 1)) {
        return 0;
    }
    report_division_of_faults_1(u32(divisor), place, group_x, item_x, faults_start);
    return 0;
}

fn is_divisor_of_faults(is_zero: bool, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> bool {
    if (!is_zero) {
        return true;
    }
    report_division_of_faults_1(0u, place, group_x, item_x, faults_start);
    return false;
}

fn share_of_faults(a: i32, b: i32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    return quotient_int_of_faults_1(a, b, 0u, group_x, item_x, faults_start);
}

fn share_of_of_a_b_faults(a_start: u32, b_start: u32, k: i32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    return share_of_faults(a[a_start + u32(k)], b[b_start + u32(k)], group_x, item_x, faults_start) + select(1, 2, b[b_start + u32(k)] > 2);
}

@compute @workgroup_size(4, 1, 1)
fn loaded_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 3) {
        q[args.q_start + u32(i)] = quotient_int_of_faults(a[args.a_start + u32(i)], b[args.b_start + u32(i)], 1u, u32(i_block / 4), u32(i - i_block), args.faults_start);
        r[args.r_start + u32(i)] = remainder_int_of_faults(a[args.a_start + u32(i)], b[args.b_start + u32(i)], 2u, u32(i_block / 4), u32(i - i_block), args.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn unsigned_loaded_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        q_1[args_1.q_start + u32(i)] = quotient_unsigned_int_of_faults(a_1[args_1.a_start + u32(i)], b_1[args_1.b_start + u32(i)], 3u, u32(i_block / 4), u32(i - i_block), args_1.faults_start) * 10u + remainder_unsigned_int_of_faults(a_1[args_1.a_start + u32(i)], b_1[args_1.b_start + u32(i)], 4u, u32(i_block / 4), u32(i - i_block), args_1.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn wide_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        q_2[args_1.q_start + u32(i)] = quotient_long_of_faults(a_2[args_1.a_start + u32(i)], b_2[args_1.b_start + u32(i)], 5u, u32(i_block / 4), u32(i - i_block), args_1.faults_start) * i64(select(1, 11, b_2[args_1.b_start + u32(i)] > 0li)) + remainder_long_of_faults(a_2[args_1.a_start + u32(i)], b_2[args_1.b_start + u32(i)], 6u, u32(i_block / 4), u32(i - i_block), args_1.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn unsigned_wide_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        q_3[args_1.q_start + u32(i)] = quotient_unsigned_long_of_faults(a_3[args_1.a_start + u32(i)], b_3[args_1.b_start + u32(i)], 7u, u32(i_block / 4), u32(i - i_block), args_1.faults_start) * 10lu + remainder_unsigned_long_of_faults(a_3[args_1.a_start + u32(i)], b_3[args_1.b_start + u32(i)], 8u, u32(i_block / 4), u32(i - i_block), args_1.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn narrow_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        q[args_1.q_start + u32(i)] = quotient_int_of_faults_1(i32(a_4[args_1.a_start + u32(i)]), i32(b_4[args_1.b_start + u32(i)]), 9u, u32(i_block / 4), u32(i - i_block), args_1.faults_start) * select(1, 10, i32(b_4[args_1.b_start + u32(i)]) > 0) + remainder_int_of_faults_1(i32(a_4[args_1.a_start + u32(i)]), i32(b_4[args_1.b_start + u32(i)]), 10u, u32(i_block / 4), u32(i - i_block), args_1.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn updates_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        {
            let at: i32 = i;
            q_4[args_2.q_start + u32(at)] = quotient_int_of_faults_1(q_4[args_2.q_start + u32(at)], b_5[args_2.b_start + u32(i)], 11u, u32(i_block / 4), u32(i - i_block), args_2.faults_start);
        }
        var r: i32 = s[args_2.s_start + u32(i)];
        r = remainder_int_of_faults_1(r, b_5[args_2.b_start + u32(i)], 12u, u32(i_block / 4), u32(i - i_block), args_2.faults_start);
        s[args_2.s_start + u32(i)] = r;
    }
}

@compute @workgroup_size(4, 1, 1)
fn v_atomics_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        {
            let by: i32 = b_5[args_3.b_start + u32(i)];
            if (is_divisor_of_faults(by == 0, 13u, u32(i_block / 4), u32(i - i_block), args_3.faults_start)) {
                if (by == -1) {
                    var before: i32;
                    before = okl_q_5_mul_i32(args_3.q_start + u32(i), by);
                    if (before == (-2147483647 - 1)) {
                        report_division_of_faults_1(4294967295u, 13u, u32(i_block / 4), u32(i - i_block), args_3.faults_start);
                    }
                } else {
                    _ = okl_q_5_div_i32(args_3.q_start + u32(i), by);
                }
            }
        }
        {
            let by: u32 = u32(b_5[args_3.b_start + u32(i)]);
            if (is_divisor_of_faults(by == 0u, 14u, u32(i_block / 4), u32(i - i_block), args_3.faults_start)) {
                _ = okl_u_div_u32(args_3.u_start + u32(i), by);
            }
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn by_function_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 2) {
        q[args_1.q_start + u32(i)] = share_of_of_a_b_faults(args_1.a_start, args_1.b_start, i, u32(i_block / 4), u32(i - i_block), args_1.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn guarded_0(@builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    if (i < 3) {
        let by: u32 = u32(b[args_1.b_start + u32(i)]);
        let once: i32 = i32(select(0u, u32(a[args_1.a_start + u32(i)]) / by, by != 0u));
        let twice: i32 = select(0, 1, b[args_1.b_start + u32(i)] != 0 && quotient_int_of_faults_1(a[args_1.a_start + u32(i)], b[args_1.b_start + u32(i)], 15u, u32(i_block / 4), u32(i - i_block), args_1.faults_start) == 3);
        q[args_1.q_start + u32(i)] = once * twice;
    }
}

@compute @workgroup_size(2, 1, 1)
fn by_group_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let g: i32 = args_4.start + i32(group.x + 65535 * group.y + args_4.first_x);
    let i_start: i32 = g % args_4.n;
    let i: i32 = i_start + i32(item.x);
    q[args_4.q_start + u32((g - args_4.m / args_4.n) * 2 + i - g % args_4.n)] = (g - args_4.m / args_4.n) * 2 + i - g % args_4.n;
}

@compute @workgroup_size(4, 1, 1)
fn proven_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_5.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_5.n * args_5.m) {
        var sum: i32 = u_1[args_5.u_start + u32(i % args_5.n)] + i / args_5.m - (i + 7) / (args_5.m - i % args_5.m);
        for (var s: i32 = args_5.m; s > 0; s /= 2) {
            sum += i % s;
        }
        if (args_5.n != 0) {
            sum += (i + args_5.m) / args_5.n % 2;
        }
        q_6[args_5.q_start + u32(i)] = sum;
    }
}
