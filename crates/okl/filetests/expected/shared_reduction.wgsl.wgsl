// WGSL, made from OKL.
// @kernel sum: sum_0

struct Args {
    x_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> out: array<f64>;
var<workgroup> s: array<f64, 8>;

@compute @workgroup_size(8, 1, 1)
fn sum_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        s[i] = x[args.x_start + u32(8 * o + i)];
    }
    workgroupBarrier();
    for (var half: i32 = 4; half > 0; half /= 2) {
        {
            let i: i32 = i32(item.x);
            if (i < half) {
                s[i] += s[i + half];
            }
        }
        workgroupBarrier();
    }
    {
        let i: i32 = i32(item.x);
        if (i == 0) {
            out[args.out_start + u32(o)] = s[0];
        }
    }
}
