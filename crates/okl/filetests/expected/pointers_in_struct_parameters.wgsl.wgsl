// WGSL, made from OKL.
// @kernel axpy: axpy_0
// @kernel nested: nested_0
// @kernel rows: rows_0

struct operand {
    scale: f64,
    offset: i32,
}

struct target_1 {
    no_value: i32,
}

struct two {
    no_value: i32,
}

struct parts {
    left: two,
    scale: i32,
}

struct matrix {
    columns: array<i32, 2>,
}

struct sink {
    no_value: i32,
}

struct parts_1 {
    scale: i32,
}

struct Args {
    n: i32,
    x: operand,
    x_values_start: u32,
    x_more_start: u32,
    y_values_start: u32,
    faults_start: u32,
    x_values_length: i32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    p: parts_1,
    p_left_first_start: u32,
    p_left_second_start: u32,
    p_right_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    m: matrix,
    m_rows_start: u32,
    o_data_start: u32,
    o_data__start: u32,
    faults_start: u32,
    m_rows_length: i32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(2) var<storage, read_write> x_values: array<f64>;
@group(0) @binding(3) var<storage, read_write> x_more: array<f64>;
@group(0) @binding(4) var<storage, read_write> y_values: array<f64>;
@group(0) @binding(5) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> p_left_first: array<i32>;
@group(0) @binding(2) var<storage, read_write> p_left_second: array<i32>;
@group(0) @binding(3) var<storage, read_write> p_right: array<i32>;
var<private> copy: parts;
@group(0) @binding(1) var<storage, read_write> m_rows: array<i32>;
@group(0) @binding(2) var<storage, read_write> o_data: array<i32>;
@group(0) @binding(3) var<storage, read_write> o_data_: array<i32>;
@group(0) @binding(4) var<storage, read_write> faults_1: array<atomic<u32>>;

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

fn index_or_zero_int_of_faults(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(index) < length) {
        return index;
    }
    report_fault_int_of_faults(index, length, place, group_x, item_x, faults_start);
    return 0;
}

fn at_of_x_values_x_more_faults(x: operand, i: i32, x_values_start: u32, x_more_start: u32, x_values_first: i32, x_values_length: i32, group_x: u32, item_x: u32, faults_start: u32) -> f64 {
    return x.scale * x_values[x_values_start + u32(index_or_zero_int_of_faults(x_values_first + (i + x.offset), u32(x_values_length), 0u, group_x, item_x, faults_start))] + x_more[x_more_start + u32(i)];
}

fn store_of_copy_p_right_p_left_second_p_left_first(i: i32, p_right_start: u32, p_second_start: u32, p_first_start: u32) {
    p_left_first[p_first_start + u32(i)] = p_right[p_right_start + u32(i)] * copy.scale + p_left_second[p_second_start + u32(i)];
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

fn index_or_zero_int_of_faults_1(index: i32, length: u32, place: u32, group_x: u32, item_x: u32, faults_start: u32) -> i32 {
    if (u32(index) < length) {
        return index;
    }
    report_fault_int_of_faults_1(index, length, place, group_x, item_x, faults_start);
    return 0;
}

fn axpy_0_group(group: vec3<u32>, item: vec3<u32>) {
    var x = args.x;
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        y_values[args.y_values_start + u32(i)] += at_of_x_values_x_more_faults(x, i, args.x_values_start, args.x_more_start, 0, args.x_values_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn axpy_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    axpy_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn axpy_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    var x = args.x;
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: f64 = y_values[args.y_values_start + u32(i)] + at_of_x_values_x_more_faults(x, i, args.x_values_start, args.x_more_start, 0, args.x_values_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
        let value_next: f64 = y_values[args.y_values_start + u32(i_next)] + at_of_x_values_x_more_faults(x, i_next, args.x_values_start, args.x_more_start, 0, args.x_values_length, u32(i_block_next / 4), u32(i_next - i_block_next), args.faults_start);
        y_values[args.y_values_start + u32(i)] = value;
        y_values[args.y_values_start + u32(i_next)] = value_next;
    } else {
        axpy_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            axpy_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn nested_0(@builtin(workgroup_id) group: vec3<u32>) {
    var p = args_1.p;
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let p_1: parts = parts(two(0), p.scale);
    let half: two = p_1.left;
    var half_first_offset: i64;
    var half_second_offset: i64;
    half_first_offset = 0li;
    half_second_offset = 0li;
    copy = p_1;
    var copy_right_offset: i64;
    var copy_left_first_offset: i64;
    var copy_left_second_offset: i64;
    copy_right_offset = 0li;
    copy_left_first_offset = 0li;
    copy_left_second_offset = 0li;
    copy_right_offset = copy_right_offset + i64(o);
    copy_left_first_offset = half_first_offset + i64(o);
    copy_left_second_offset = half_second_offset + i64(o);
    store_of_copy_p_right_p_left_second_p_left_first(0, args_1.p_right_start + u32(i32(copy_right_offset)), args_1.p_left_second_start + u32(i32(copy_left_second_offset)), args_1.p_left_first_start + u32(i32(copy_left_first_offset)));
}

@compute @workgroup_size(2, 1, 1)
fn rows_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var m = args_2.m;
    let i_block: i32 = 0;
    let i: i32 = i_block + i32(item.x);
    o_data[args_2.o_data_start + u32(i)] = m_rows[args_2.m_rows_start + u32(index_or_zero_int_of_faults_1(i * 3 + m.columns[0], u32(args_2.m_rows_length), 1u, u32(i_block / 2), u32(i - i_block), args_2.faults_start))] + o_data_[args_2.o_data__start] * m.columns[i];
}
