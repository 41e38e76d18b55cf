// WGSL, made from OKL.
// @kernel captures: captures_0
// @kernel functions: functions_0
// @kernel floats: floats_0
// @kernel tickets: tickets_0
// @kernel sum_by_cas: sum_by_cas_0
// @kernel counted: counted_0

struct Args {
    n: i32,
    a_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    count_start: u32,
    ticket_start: u32,
    seen_start: u32,
    faults_start: u32,
    seen_length: i32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    x_start: u32,
    sum_start: u32,
    first_x: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    n: i32,
    counter_start: u32,
    out_start: u32,
    faults_start: u32,
    out_length: i32,
    first_x: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(1) var<storage, read_write> a: array<atomic<i32>>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@group(0) @binding(1) var<storage, read_write> a_1: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> out_1: array<f32>;
@group(0) @binding(1) var<storage, read_write> count: array<atomic<i32>>;
@group(0) @binding(2) var<storage, read_write> ticket: array<i32>;
@group(0) @binding(3) var<storage, read_write> seen: array<atomic<i32>>;
var<workgroup> mine: array<atomic<i32>, 1>;
var<workgroup> first: array<i32, 1>;
@group(0) @binding(4) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> counter: array<atomic<i32>>;
@group(0) @binding(3) var<storage, read_write> faults_1: array<atomic<u32>>;

fn okl_a_1_add_f32(at: u32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&a_1[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&a_1[at], old, bitcast<u32>(bitcast<f32>(old) + value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn okl_a_1_cas_f32(at: u32, expected: f32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&a_1[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&a_1[at], old, bitcast<u32>(select(bitcast<f32>(old), value, bitcast<u32>(bitcast<f32>(old)) == bitcast<u32>(expected))));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn okl_a_1_exchange_f32(at: u32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&a_1[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&a_1[at], old, bitcast<u32>(value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn okl_a_cas_i32(at: u32, expected: i32, value: i32) -> i32 {
    var old: i32 = atomicLoad(&a[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&a[at], old, select(old, value, old == expected));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return old;
}

fn okl_sum_add_f32(at: u32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&sum[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&sum[at], old, bitcast<u32>(bitcast<f32>(old) + value));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn okl_sum_cas_f32(at: u32, expected: f32, value: f32) -> f32 {
    var old: u32 = atomicLoad(&sum[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&sum[at], old, bitcast<u32>(select(bitcast<f32>(old), value, bitcast<u32>(bitcast<f32>(old)) == bitcast<u32>(expected))));
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return bitcast<f32>(old);
}

fn report_fault_int_of_faults(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
    var before: u32;
    before = atomicExchange(&faults[faults_start], 1u);
    if (before == 0u) {
        atomicStore(&faults[faults_start + 1u], place);
        atomicStore(&faults[faults_start + 2u], u32(index));
        atomicStore(&faults[faults_start + 3u], u32(index >> 31u));
        atomicStore(&faults[faults_start + 4u], length);
        atomicStore(&faults[faults_start + 5u], 0u);
        atomicStore(&faults[faults_start + 6u], group_x);
        atomicStore(&faults[faults_start + 9u], item_x);
    }
}

fn is_in_range_int_of_faults(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> bool {
    if (u32(index) < length) {
        return true;
    }
    report_fault_int_of_faults(index, length, place, group_x, item_x, faults_start);
    return false;
}

fn take_of_counter(counter_start: u32) -> i32 {
    var before: i32;
    before = atomicAdd(&counter[counter_start], 1);
    return before;
}

fn report_fault_int_of_faults_1(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
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

fn is_in_range_int_of_faults_1(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> bool {
    if (u32(index) < length) {
        return true;
    }
    report_fault_int_of_faults_1(index, length, place, group_x, item_x, faults_start);
    return false;
}

@compute @workgroup_size(4, 1, 1)
fn captures_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var old: i32;
        old = atomicAdd(&a[args.a_start], 1);
        out[args.out_start] = old;
        var next: i32;
        var before: i32;
        before = atomicAdd(&a[args.a_start + 1u], 1);
        next = before + 1;
        out[args.out_start + 1u] = next;
        var now: i32;
        var before_1: i32;
        before_1 = atomicSub(&a[args.a_start + 2u], 5);
        out[args.out_start + 2u] = before_1 - 5;
        var before_2: i32;
        before_2 = atomicMax(&a[args.a_start + 3u], 120);
        out[args.out_start + 3u] = max(before_2, 120);
        var before_3: i32;
        before_3 = atomicMin(&a[args.a_start + 4u], 5);
        out[args.out_start + 4u] = min(before_3, 5);
        var before_4: i32;
        before_4 = atomicAdd(&a[args.a_start + 5u], 6);
        now = before_4 + 6;
        out[args.out_start + 5u] = now;
        old = atomicExchange(&a[args.a_start + 6u], 9);
        out[args.out_start + 6u] = old;
        var before_5: i32;
        before_5 = atomicAdd(&a[args.a_start + 7u], 1);
        out[args.out_start + 7u] = before_5 + 1;
    }
}

@compute @workgroup_size(4, 1, 1)
fn functions_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var before: i32;
        before = atomicAdd(&a[args.a_start], 3);
        out[args.out_start] = before;
        var before_1: i32;
        before_1 = atomicSub(&a[args.a_start + 1u], 3);
        out[args.out_start + 1u] = before_1;
        var before_2: i32;
        before_2 = atomicMin(&a[args.a_start + 2u], 3);
        out[args.out_start + 2u] = before_2;
        var before_3: i32;
        before_3 = atomicMax(&a[args.a_start + 3u], 90);
        out[args.out_start + 3u] = before_3;
        var before_4: i32;
        before_4 = atomicAnd(&a[args.a_start + 4u], 9);
        out[args.out_start + 4u] = before_4;
        var before_5: i32;
        before_5 = atomicOr(&a[args.a_start + 5u], 3);
        out[args.out_start + 5u] = before_5;
        var before_6: i32;
        before_6 = atomicXor(&a[args.a_start + 6u], 5);
        out[args.out_start + 6u] = before_6;
        var before_7: i32;
        before_7 = atomicExchange(&a[args.a_start + 7u], 1);
        out[args.out_start + 7u] = before_7;
        var before_8: i32;
        before_8 = okl_a_cas_i32(args.a_start + 8u, 5, 7);
        out[args.out_start + 8u] = before_8;
        var before_9: i32;
        before_9 = okl_a_cas_i32(args.a_start + 9u, 5, 7);
        out[args.out_start + 9u] = before_9;
    }
}

@compute @workgroup_size(4, 1, 1)
fn floats_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var before: f32;
        before = okl_a_1_add_f32(args.a_start, 3.0f);
        out_1[args.out_start] = before;
        var before_1: f32;
        before_1 = okl_a_1_exchange_f32(args.a_start + 1u, 0.25f);
        out_1[args.out_start + 1u] = before_1;
        var before_2: f32;
        before_2 = okl_a_1_cas_f32(args.a_start + 2u, 3.5f, 9.0f);
        out_1[args.out_start + 2u] = before_2;
        var before_3: f32;
        before_3 = okl_a_1_cas_f32(args.a_start + 3u, 0.0f, 1.0f);
        out_1[args.out_start + 3u] = before_3;
    }
}

@compute @workgroup_size(4, 1, 1)
fn tickets_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    {
        let i: i32 = i32(item.x);
        if (i == 0) {
            atomicStore(&mine[0u], 0);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (4 * o + i < args_1.n) {
            var before: i32;
            before = atomicAdd(&mine[0u], 1);
            ticket[args_1.ticket_start + u32(4 * o + i)] = before;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (i == 0) {
            var before: i32;
            before = atomicAdd(&count[args_1.count_start], atomicLoad(&mine[0u]));
            first[0] = before;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (4 * o + i < args_1.n) {
            {
                let at: i32 = first[0] + ticket[args_1.ticket_start + u32(4 * o + i)];
                if (is_in_range_int_of_faults(at, u32(args_1.seen_length), 0u, u32(o), u32(i), args_1.faults_start)) {
                    atomicAdd(&seen[args_1.seen_start + u32(at)], 1);
                }
            }
            ticket[args_1.ticket_start + u32(4 * o + i)] = 0;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn sum_by_cas_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_2.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_2.n) {
        var before: f32;
        before = okl_sum_add_f32(args_2.sum_start, 0.0f);
        var found: f32 = before;
        var expected: f32 = found - 1.0f;
        while (!(found == expected)) {
            expected = found;
            var before_1: f32;
            before_1 = okl_sum_cas_f32(args_2.sum_start, expected, expected + x[args_2.x_start + u32(i)]);
            found = before_1;
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn counted_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_3.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_3.n) {
        var result: i32;
        result = take_of_counter(args_3.counter_start);
        {
            let at: i32 = result;
            if (is_in_range_int_of_faults_1(at, u32(args_3.out_length), 1u, u32(i_block / 4), u32(i - i_block), args_3.faults_start)) {
                out[args_3.out_start + u32(at)] = 1;
            }
        }
    }
}
