// WGSL, made from OKL.
// @kernel mirror: mirror_0

struct Pair {
    value: f64,
    index: i32,
}

struct Args {
    x_start: u32,
    y_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

@group(0) @binding(1) var<storage, read_write> x: array<f64>;
@group(0) @binding(2) var<storage, read_write> y: array<f64>;
var<workgroup> table: array<f64, 8192>;
var<workgroup> last: Pair;

@compute @workgroup_size(4, 1, 1)
fn mirror_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let g: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let i: i32 = i32(item.x);
        table[2048 * i + i] = x[args.x_start + u32(4 * g + i)];
        if (i == 3) {
            last.value = x[args.x_start + u32(4 * g + i)];
            last.index = i;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        y[args.y_start + u32(4 * g + i)] = select(select(table[2048 * (3 - i) + (3 - i)], last.value, i == 0), table[0], i == last.index);
    }
}
