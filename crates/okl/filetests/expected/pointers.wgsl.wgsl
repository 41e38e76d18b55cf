// WGSL, made from OKL.
// @kernel copy: copy_0
// @kernel rows: rows_0
// @kernel walk: walk_0

struct Args {
    n: i32,
    x_start: u32,
    y_start: u32,
    first_x: u32,
    end_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    x_start: u32,
    out_start: u32,
    faults_start: u32,
    x_length: i64,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> y: array<f64>;
@group(0) @binding(0) var<storage, read_write> x_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(2) var<storage, read_write> faults: array<atomic<u32>>;

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

fn copy_0_group(group: vec3<u32>, item: vec3<u32>) {
    let i_block: i32 = i32(group.x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        y[args.y_start + u32(i)] = x[args.x_start + u32(i)] + 1.0lf;
    }
}

@compute @workgroup_size(4, 1, 1)
fn copy_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    copy_0_group(vec3<u32>(group.x + 65535 * group.y + args.first_x, 0u, 0u), item);
}

@compute @workgroup_size(4, 1, 1)
fn copy_0_coarsened(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let group_x: u32 = args.first_x + 2 * (group.x + 65535 * group.y);
    let next_x: u32 = group_x + 1u;
    let i_block: i32 = i32(group_x) * 4;
    let i: i32 = i_block + i32(item.x);
    let i_block_next: i32 = i32(next_x) * 4;
    let i_next: i32 = i_block_next + i32(item.x);
    if (next_x < args.end_x && i < args.n && i_next < args.n) {
        let value: f64 = x[args.x_start + u32(i)] + 1.0lf;
        let value_next: f64 = x[args.x_start + u32(i_next)] + 1.0lf;
        y[args.y_start + u32(i)] = value;
        y[args.y_start + u32(i_next)] = value_next;
    } else {
        copy_0_group(vec3<u32>(group_x, 0u, 0u), item);
        if (next_x < args.end_x) {
            copy_0_group(vec3<u32>(next_x, 0u, 0u), item);
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn rows_0(@builtin(workgroup_id) group: vec3<u32>) {
    let r: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    let row_offset: i32 = 4 * r;
    var sum: i32 = 0;
    for (var c: i32 = 0; c < 4; c += 1) {
        sum += x_1[args_1.x_start + u32(row_offset + c)];
    }
    out[args_1.out_start + u32(r)] = sum;
}

@compute @workgroup_size(1, 1, 1)
fn walk_0() {
    let o: i32 = 0;
    let k: i32 = 0;
    var p_offset: i64 = 0li;
    var sum: i32 = 0;
    while (x_1[args_2.x_start + u32(i32(index_or_zero_of_faults(p_offset, u64(args_2.x_length), 0u, u32(o), u32(k), args_2.faults_start)))] != 0) {
        let before: i64 = p_offset;
        p_offset = p_offset + 1li;
        sum += x_1[args_2.x_start + u32(i32(index_or_zero_of_faults(before, u64(args_2.x_length), 1u, u32(o), u32(k), args_2.faults_start)))];
    }
    out[args_2.out_start] = sum;
    out[args_2.out_start + 1u] = i32(p_offset);
}
