// WGSL, made from OKL.
// @kernel steps: steps_0
// @kernel swap: swap_0
// @kernel late: late_0
// @kernel memories: memories_0

struct Args {
    n: i32,
    shift: i32,
    current_start: u32,
    history_start: u32,
    out_start: u32,
    faults_start: u32,
    current_length: i64,
    history_length: i64,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    a_start: u32,
    b_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    a_start: u32,
    b_start: u32,
    out_start: u32,
    faults_start: u32,
    a_length: i64,
    b_length: i64,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    a_start: u32,
    out_start: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(2) var<storage, read_write> current: array<f64>;
@group(0) @binding(3) var<storage, read_write> history: array<f64>;
@group(0) @binding(4) var<storage, read_write> out: array<f64>;
@group(0) @binding(5) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> a: array<f64>;
@group(0) @binding(2) var<storage, read_write> b: array<f64>;
@group(0) @binding(1) var<storage, read_write> a_1: array<f64>;
@group(0) @binding(2) var<storage, read_write> b_1: array<f64>;
@group(0) @binding(3) var<storage, read_write> out_1: array<f64>;
@group(0) @binding(4) var<storage, read_write> faults_1: array<atomic<u32>>;
@group(0) @binding(0) var<storage, read_write> a_2: array<f64>;
@group(0) @binding(1) var<storage, read_write> out_2: array<f64>;
var<workgroup> s: array<f64, 4>;

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

fn index_or_zero_of_faults(index: i64, length: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i64 {
    if (u64(index) < length) {
        return index;
    }
    report_fault_of_faults(index, length, place, group_x, item_x, faults_start);
    return 0li;
}

fn is_in_range_of_faults(index: i64, length: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> bool {
    if (u64(index) < length) {
        return true;
    }
    report_fault_of_faults(index, length, place, group_x, item_x, faults_start);
    return false;
}

fn scaled_of_a(x_start: u32, i: i32) -> f64 {
    return 3.0lf * a[x_start + u32(i)];
}

fn add_of_a_a(to_start: u32, from_start: u32, i: i32) {
    a[to_start + u32(i)] += scaled_of_a(from_start, i) - a[from_start + u32(i)];
}

fn scaled_of_b(x_start: u32, i: i32) -> f64 {
    return 3.0lf * b[x_start + u32(i)];
}

fn add_of_a_b(to_start: u32, from_start: u32, i: i32) {
    a[to_start + u32(i)] += scaled_of_b(from_start, i) - b[from_start + u32(i)];
}

fn add_of_b_a(to_start: u32, from_start: u32, i: i32) {
    b[to_start + u32(i)] += scaled_of_a(from_start, i) - a[from_start + u32(i)];
}

fn add_of_b_b(to_start: u32, from_start: u32, i: i32) {
    b[to_start + u32(i)] += scaled_of_b(from_start, i) - b[from_start + u32(i)];
}

fn report_fault_of_faults_1(index: i64, length: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) {
    var before: u32;
    before = atomicExchange(&faults_1[faults_start], 1u);
    if (before == 0u) {
        atomicStore(&faults_1[faults_start + 1u], place);
        atomicStore(&faults_1[faults_start + 2u], u32(index));
        atomicStore(&faults_1[faults_start + 3u], u32(index >> 32u));
        atomicStore(&faults_1[faults_start + 4u], u32(length));
        atomicStore(&faults_1[faults_start + 5u], u32(length >> 32u));
        atomicStore(&faults_1[faults_start + 6u], group_x);
        atomicStore(&faults_1[faults_start + 9u], item_x);
    }
}

fn index_or_zero_of_faults_1(index: i64, length: u64, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i64 {
    if (u64(index) < length) {
        return index;
    }
    report_fault_of_faults_1(index, length, place, group_x, item_x, faults_start);
    return 0li;
}

@compute @workgroup_size(2, 1, 1)
fn steps_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 2;
    let o: i32 = o_block + i32(item.x);
    if (o < args.n) {
        var stage_offset: array<i64, 3>;
        var stage_array: array<i32, 3>;
        stage_array[0] = 0;
        stage_offset[0] = 0li;
        stage_array[1] = 1;
        stage_offset[1] = i64(args.shift % 3 * args.n);
        stage_array[2] = 1;
        stage_offset[2] = i64((args.shift + 1) % 3 * args.n);
        var sum: f64 = 0.0lf;
        var okl_value_0: f64;
        if (stage_array[0] == 0) {
            okl_value_0 = current[args.current_start + u32(i32(index_or_zero_of_faults(stage_offset[0] + i64(o), u64(args.current_length), 0u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        } else {
            okl_value_0 = history[args.history_start + u32(i32(index_or_zero_of_faults(stage_offset[0] + i64(o), u64(args.history_length), 1u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        }
        sum += okl_value_0;
        var okl_value_1: f64;
        if (stage_array[1] == 0) {
            okl_value_1 = current[args.current_start + u32(i32(index_or_zero_of_faults(stage_offset[1] + i64(o), u64(args.current_length), 0u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        } else {
            okl_value_1 = history[args.history_start + u32(i32(index_or_zero_of_faults(stage_offset[1] + i64(o), u64(args.history_length), 1u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        }
        sum += okl_value_1;
        var okl_value_2: f64;
        if (stage_array[2] == 0) {
            okl_value_2 = current[args.current_start + u32(i32(index_or_zero_of_faults(stage_offset[2] + i64(o), u64(args.current_length), 0u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        } else {
            okl_value_2 = history[args.history_start + u32(i32(index_or_zero_of_faults(stage_offset[2] + i64(o), u64(args.history_length), 1u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        }
        sum += okl_value_2;
        if (stage_array[1] == 0) {
            {
                let at: i64 = stage_offset[1] + i64(o);
                if (is_in_range_of_faults(at, u64(args.current_length), 4u, u32(o_block / 2), u32(o - o_block), args.faults_start)) {
                    var okl_value_3: f64;
                    if (stage_array[0] == 0) {
                        okl_value_3 = current[args.current_start + u32(i32(index_or_zero_of_faults(stage_offset[0] + i64(o), u64(args.current_length), 2u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
                    } else {
                        okl_value_3 = history[args.history_start + u32(i32(index_or_zero_of_faults(stage_offset[0] + i64(o), u64(args.history_length), 3u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
                    }
                    current[args.current_start + u32(i32(at))] = okl_value_3;
                }
            }
        } else {
            {
                let at: i64 = stage_offset[1] + i64(o);
                if (is_in_range_of_faults(at, u64(args.history_length), 5u, u32(o_block / 2), u32(o - o_block), args.faults_start)) {
                    var okl_value_4: f64;
                    if (stage_array[0] == 0) {
                        okl_value_4 = current[args.current_start + u32(i32(index_or_zero_of_faults(stage_offset[0] + i64(o), u64(args.current_length), 2u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
                    } else {
                        okl_value_4 = history[args.history_start + u32(i32(index_or_zero_of_faults(stage_offset[0] + i64(o), u64(args.history_length), 3u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
                    }
                    history[args.history_start + u32(i32(at))] = okl_value_4;
                }
            }
        }
        var okl_value_5: f64;
        if (stage_array[1] == 0) {
            okl_value_5 = current[args.current_start + u32(i32(index_or_zero_of_faults(stage_offset[1] + i64(o), u64(args.current_length), 6u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        } else {
            okl_value_5 = history[args.history_start + u32(i32(index_or_zero_of_faults(stage_offset[1] + i64(o), u64(args.history_length), 7u, u32(o_block / 2), u32(o - o_block), args.faults_start)))];
        }
        out[args.out_start + u32(o)] = sum + okl_value_5 + f64(2 * select(0, o, o > 0)) + 9.0lf;
    }
}

@compute @workgroup_size(2, 1, 1)
fn swap_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_1.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        var from_offset: i64;
        var from_array: i32;
        from_array = 0;
        from_offset = 0li;
        var to_offset: i64;
        var to_array: i32;
        to_array = 1;
        to_offset = 0li;
        if (i % 2 == 0) {
            let other: i32 = from_array;
            let other_offset: i64 = from_offset;
            from_array = to_array;
            from_offset = to_offset;
            to_array = other;
            to_offset = other_offset;
        }
        if (i > 0) {
            if (to_array == 0) {
                if (from_array == 0) {
                    add_of_a_a(args_1.a_start + u32(i32(to_offset)), args_1.a_start + u32(i32(from_offset)), i);
                } else {
                    add_of_a_b(args_1.a_start + u32(i32(to_offset)), args_1.b_start + u32(i32(from_offset)), i);
                }
            } else if (from_array == 0) {
                add_of_b_a(args_1.b_start + u32(i32(to_offset)), args_1.a_start + u32(i32(from_offset)), i);
            } else {
                add_of_b_b(args_1.b_start + u32(i32(to_offset)), args_1.b_start + u32(i32(from_offset)), i);
            }
        }
        if (i == 3) {
            if (to_array == 0) {
                a[args_1.a_start + u32(i32(to_offset) + i)] += select(b[args_1.b_start + u32(i32(to_offset) + i)], a[args_1.a_start + u32(i32(to_offset) + i)], to_array == 0) / 2.0lf;
            } else {
                b[args_1.b_start + u32(i32(to_offset) + i)] += select(b[args_1.b_start + u32(i32(to_offset) + i)], a[args_1.a_start + u32(i32(to_offset) + i)], to_array == 0) / 2.0lf;
            }
        }
        if (i == 2) {
            if (to_array == 0) {
                a[args_1.a_start + u32(i32(to_offset) + i)] -= 1.0lf;
            } else {
                b[args_1.b_start + u32(i32(to_offset) + i)] -= 1.0lf;
            }
            if (to_array == 0) {
                a[args_1.a_start + u32(i32(to_offset) + i)] -= 3.0lf;
            } else {
                b[args_1.b_start + u32(i32(to_offset) + i)] -= 3.0lf;
            }
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn late_0() {
    let o: i32 = 0;
    let t: i32 = 0;
    var p_offset: i64;
    var p_array: i32;
    p_array = 0;
    p_offset = 0li;
    for (var i: i32 = 0; i < args_2.n; i += 1) {
        var okl_value_0: f64;
        if (p_array == 0) {
            okl_value_0 = a_1[args_2.a_start + u32(i32(index_or_zero_of_faults_1(p_offset + i64(i), u64(args_2.a_length), 8u, u32(o), u32(t), args_2.faults_start)))];
        } else {
            okl_value_0 = b_1[args_2.b_start + u32(i32(index_or_zero_of_faults_1(p_offset + i64(i), u64(args_2.b_length), 9u, u32(o), u32(t), args_2.faults_start)))];
        }
        out_1[args_2.out_start + u32(i)] = okl_value_0;
        p_array = select(0, 1, i % 2 == 0);
        p_offset = 0li;
    }
}

@compute @workgroup_size(4, 1, 1)
fn memories_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        s[i] = 10.0lf + a_2[args_3.a_start + u32(i)];
    }
    workgroupBarrier();
    {
        let i: i32 = i32(item.x);
        out_2[args_3.out_start + u32(i)] = select(a_2[args_3.a_start + u32(i)], s[i], select(1, 0, i % 2 == 0) == 0);
    }
}
