// WGSL, made from OKL.
// @kernel sizes: sizes_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;
var<workgroup> s: array<i32, 8>;

@compute @workgroup_size(8, 1, 1)
fn sizes_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var mine: i32;
    if (item.x < 8u) {
        let i: i32 = i32(item.x);
        mine = 10 * i;
        s[i] = i;
    }
    workgroupBarrier();
    storageBarrier();
    if (item.x < 4u) {
        let i: i32 = i32(item.x);
        mine = s[i];
    }
    workgroupBarrier();
    storageBarrier();
    if (item.x < 8u) {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(i)] = mine;
    }
}
