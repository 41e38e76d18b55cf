// WGSL, made from OKL.
// @kernel late: late_0
// @kernel several: several_0

struct Args {
    out_start: u32,
}

var<immediate> args: Args;

@group(0) @binding(0) var<storage, read_write> out: array<i32>;
var<workgroup> s: array<i32, 4>;
var<workgroup> t: array<i32, 4>;

@compute @workgroup_size(4, 1, 1)
fn late_0(@builtin(local_invocation_id) item: vec3<u32>) {
    var a: i32;
    {
        let i: i32 = i32(item.x);
        a = 10 * i;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        s[i] = a;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        var b: i32 = 3;
        out[args.out_start + u32(i)] = s[i] + b;
    }
}

@compute @workgroup_size(4, 1, 1)
fn several_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        var b: array<i32, 2>;
        var a: i32 = 1;
        b[0] = 2;
        b[1] = 100;
        s[i] = a + b[0];
        t[2 * (i / 2) + i % 2] = b[1];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        out[args.out_start + u32(i)] = 10 * i + s[3 - i] + t[2 * ((3 - i) / 2) + i % 2];
    }
}
