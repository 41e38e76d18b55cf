// WGSL, made from OKL.
// @kernel forms: forms_0
// @kernel histogram: histogram_0
// @kernel unsigned_long: unsigned_long_0

struct Args {
    n: i32,
    a_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    x_start: u32,
    bins_start: u32,
    faults_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

@group(0) @binding(1) var<storage, read_write> a: array<atomic<i32>>;
@group(0) @binding(1) var<storage, read_write> x: array<i32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<i32>>;
var<workgroup> local_bins: array<atomic<i32>, 4>;
@group(0) @binding(3) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> a_1: array<atomic<u64>>;

fn okl_a_mul_i32(at: u32, value: i32) -> i32 {
    var old: i32 = atomicLoad(&a[at]);
    loop {
        let swap = atomicCompareExchangeWeak(&a[at], old, old * value);
        if (swap.exchanged) { break; }
        old = swap.old_value;
    }
    return old;
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

@compute @workgroup_size(4, 1, 1)
fn forms_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        atomicAdd(&a[args.a_start], 1);
        atomicSub(&a[args.a_start + 1u], 2);
        atomicAdd(&a[args.a_start + 2u], 1);
        atomicSub(&a[args.a_start + 3u], 1);
        _ = okl_a_mul_i32(args.a_start + 4u, 2);
        atomicAnd(&a[args.a_start + 5u], ~(1 << u32(i & 31)));
        atomicOr(&a[args.a_start + 6u], 1 << u32(i & 31));
        atomicXor(&a[args.a_start + 7u], 1 << u32(i & 31));
        atomicExchange(&a[args.a_start + 8u], 5);
    }
}

@compute @workgroup_size(5, 1, 1)
fn histogram_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args_1.first_x);
    {
        let i: i32 = i32(item.x);
        if (i < 4) {
            atomicStore(&local_bins[u32(i)], 0);
        }
    }
    workgroupBarrier();
    {
        let i: i32 = i32(item.x);
        if (5 * o + i < args_1.n) {
            {
                let at: i32 = x[args_1.x_start + u32(5 * o + i)];
                if (is_in_range_int_of_faults(at, 4u, 0u, u32(o), u32(i), args_1.faults_start)) {
                    atomicAdd(&local_bins[u32(at)], 1);
                }
            }
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        if (i < 4) {
            atomicAdd(&bins[args_1.bins_start + u32(i)], atomicLoad(&local_bins[u32(i)]));
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn unsigned_long_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        atomicAdd(&a_1[args.a_start], 1lu);
    }
}
