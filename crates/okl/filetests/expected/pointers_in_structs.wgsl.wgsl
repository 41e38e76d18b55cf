// WGSL, made from OKL.
// @kernel boundary: boundary_0
// @kernel nested: nested_0

struct data {
    id: i32,
    x: f64,
}

struct view {
    no_value: i32,
}

struct pair {
    left: view,
    scale: i32,
}

struct Args {
    n: i32,
    w_start: u32,
    v_start: u32,
    out_start: u32,
    more_start: u32,
    faults_start: u32,
    w_length: i32,
    v_length: i32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    a_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> w: array<f64>;
@group(0) @binding(2) var<storage, read_write> v: array<f64>;
@group(0) @binding(3) var<storage, read_write> out: array<f64>;
@group(0) @binding(4) var<storage, read_write> more: array<f64>;
var<private> d: data;
var<private> copy: data;
@group(0) @binding(5) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> a: array<f64>;
@group(0) @binding(2) var<storage, read_write> out_1: array<f64>;

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

fn twice_of_d_w_faults(i: i32, d_usrwrk_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) -> f64 {
    return 2.0lf * w[d_usrwrk_start + u32(index_or_zero_int_of_faults(d_usrwrk_first + (i + d.id), u32(d_usrwrk_length), 0u, group_x, item_x, faults_start))];
}

fn store_of_d_w_out_faults(i: i32, d_usrwrk_start: u32, d_out_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) {
    out[d_out_start + u32(i)] = twice_of_d_w_faults(i, d_usrwrk_start, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults_start) + d.x;
}

fn twice_of_d_v_faults(i: i32, d_usrwrk_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) -> f64 {
    return 2.0lf * v[d_usrwrk_start + u32(index_or_zero_int_of_faults(d_usrwrk_first + (i + d.id), u32(d_usrwrk_length), 0u, group_x, item_x, faults_start))];
}

fn store_of_d_v_out_faults(i: i32, d_usrwrk_start: u32, d_out_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) {
    out[d_out_start + u32(i)] = twice_of_d_v_faults(i, d_usrwrk_start, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults_start) + d.x;
}

fn twice_of_copy_w_faults(i: i32, d_usrwrk_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) -> f64 {
    return 2.0lf * w[d_usrwrk_start + u32(index_or_zero_int_of_faults(d_usrwrk_first + (i + copy.id), u32(d_usrwrk_length), 0u, group_x, item_x, faults_start))];
}

fn store_of_copy_w_out_faults(i: i32, d_usrwrk_start: u32, d_out_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) {
    out[d_out_start + u32(i)] = twice_of_copy_w_faults(i, d_usrwrk_start, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults_start) + copy.x;
}

fn store_of_copy_w_more_faults(i: i32, d_usrwrk_start: u32, d_out_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) {
    more[d_out_start + u32(i)] = twice_of_copy_w_faults(i, d_usrwrk_start, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults_start) + copy.x;
}

fn twice_of_copy_v_faults(i: i32, d_usrwrk_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) -> f64 {
    return 2.0lf * v[d_usrwrk_start + u32(index_or_zero_int_of_faults(d_usrwrk_first + (i + copy.id), u32(d_usrwrk_length), 0u, group_x, item_x, faults_start))];
}

fn store_of_copy_v_out_faults(i: i32, d_usrwrk_start: u32, d_out_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) {
    out[d_out_start + u32(i)] = twice_of_copy_v_faults(i, d_usrwrk_start, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults_start) + copy.x;
}

fn store_of_copy_v_more_faults(i: i32, d_usrwrk_start: u32, d_out_start: u32, d_usrwrk_first: i32, d_usrwrk_length: i32, group_x: u32, item_x: u32, faults_start: u32) {
    more[d_out_start + u32(i)] = twice_of_copy_v_faults(i, d_usrwrk_start, d_usrwrk_first + 0, d_usrwrk_length, group_x, item_x, faults_start) + copy.x;
}

fn fill_of_a_out(p: pair, i: i32, p_right_start: u32, p_first_start: u32) {
    out_1[p_first_start + u32(i)] = a[p_right_start + u32(i)] * f64(p.scale);
}

@compute @workgroup_size(4, 1, 1)
fn boundary_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        var d_usrwrk_offset: i64;
        var d_usrwrk_array: i32;
        var d_out_offset: i64;
        d.id = 1;
        d.x = 3.0lf;
        d_usrwrk_array = 0;
        d_usrwrk_offset = 0li;
        d_out_offset = 0li;
        if (i % 2 == 1) {
            d_usrwrk_array = 1;
            d_usrwrk_offset = -1li;
            d.x = 3.0lf;
        }
        if (d_usrwrk_array == 0) {
            store_of_d_w_out_faults(i, args.w_start, args.out_start + u32(i32(d_out_offset)), i32(d_usrwrk_offset), args.w_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
        } else {
            store_of_d_v_out_faults(i, args.v_start, args.out_start + u32(i32(d_out_offset)), i32(d_usrwrk_offset), args.v_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
        }
        copy = d;
        var copy_usrwrk_offset: i64;
        var copy_out_offset: i64;
        var copy_out_array: i32;
        let copy_usrwrk: i32 = d_usrwrk_array;
        copy_usrwrk_offset = d_usrwrk_offset;
        copy_out_array = 2;
        copy_out_offset = d_out_offset;
        copy_out_array = 3;
        copy_out_offset = 0li;
        if (copy_usrwrk == 0) {
            if (copy_out_array == 2) {
                store_of_copy_w_out_faults(i, args.w_start, args.out_start + u32(i32(copy_out_offset)), i32(copy_usrwrk_offset), args.w_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
            } else {
                store_of_copy_w_more_faults(i, args.w_start, args.more_start + u32(i32(copy_out_offset)), i32(copy_usrwrk_offset), args.w_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
            }
        } else if (copy_out_array == 2) {
            store_of_copy_v_out_faults(i, args.v_start, args.out_start + u32(i32(copy_out_offset)), i32(copy_usrwrk_offset), args.v_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
        } else {
            store_of_copy_v_more_faults(i, args.v_start, args.more_start + u32(i32(copy_out_offset)), i32(copy_usrwrk_offset), args.v_length, u32(i_block / 4), u32(i - i_block), args.faults_start);
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn nested_0(@builtin(workgroup_id) group: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let p: pair = pair(view(0), 11);
    var p_right_offset: i64;
    var p_left_first_offset: i64;
    p_right_offset = 0li;
    p_left_first_offset = i64(o);
    p_right_offset = p_right_offset + i64(o);
    fill_of_a_out(p, 0, args_1.a_start + u32(i32(p_right_offset)), args_1.out_start + u32(i32(p_left_first_offset)));
}
