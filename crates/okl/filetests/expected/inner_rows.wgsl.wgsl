// WGSL, made from OKL.
// @kernel rows: rows_0
// @kernel twice: twice_0
// @kernel branches: branches_0
// @kernel three: three_0
// @kernel in_loop: in_loop_0

struct Args {
    in_start: u32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    out_start: u32,
    sums_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    n: i32,
    out_start: u32,
}

var<immediate> args_3: Args_3;

@group(0) @binding(1) var<storage, read_write> in: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
var<workgroup> s: array<i32, 2>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;
@group(0) @binding(1) var<storage, read_write> sums: array<i32>;
var<workgroup> s_1: array<atomic<i32>, 3>;
var<workgroup> s_2: array<atomic<i32>, 2>;
@group(0) @binding(0) var<storage, read_write> out_2: array<atomic<i32>>;
@group(0) @binding(1) var<storage, read_write> out_3: array<i32>;

@compute @workgroup_size(2, 2, 1)
fn rows_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            s[j] = in[args.in_start + u32(4 * o + 2 * j)] + in[args.in_start + u32(4 * o + 2 * j + 1)] - j;
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        out[args.out_start + u32(4 * o + 2 * j + k)] = 10 * s[j] + s[1 - j] * k;
    }
}

@compute @workgroup_size(4, 3, 1)
fn twice_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            atomicStore(&s_1[u32(j)], 3);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let j: i32 = i32(item.y);
        atomicAdd(&s_1[u32(j)], 1);
    }
    workgroupBarrier();
    storageBarrier();
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            atomicStore(&s_1[u32(j)], atomicLoad(&s_1[u32(j)]) - 3);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k < 2) {
            if (k == 1) {
                out_1[args_1.out_start + u32(j)] = atomicLoad(&s_1[u32(j)]) + j;
            }
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            sums[args_1.sums_start + u32(j)] = atomicLoad(&s_1[u32((j + 1) % 3)]);
        }
    }
}

@compute @workgroup_size(2, 2, 1)
fn branches_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let o: i32 = i32(group.x + 65535 * group.y + args.first_x);
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            if (in[args.in_start + u32(2 * o + j)] > 1) {
                atomicStore(&s_2[u32(j)], 1);
                for (var k_1: i32 = 0; k_1 < 3; k_1 += 1) {
                    atomicStore(&s_2[u32(j)], atomicLoad(&s_2[u32(j)]) + select(0, 1, in[args.in_start + u32((2 * o + j) % 3)] > k_1));
                }
            } else {
                atomicStore(&s_2[u32(j)], 1);
            }
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            atomicAdd(&s_2[u32(j)], select(0, 3, j == 0 && o == 1));
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        out[args.out_start + u32(4 * o + 2 * j + k)] = atomicLoad(&s_2[u32(j)]) + k;
    }
}

@compute @workgroup_size(10, 2, 2)
fn three_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let c: i32 = i32(item.x);
        let b: i32 = i32(item.y);
        let a: i32 = i32(item.z);
        if (c == 0 && b == 0) {
            atomicStore(&out_2[args_2.out_start + u32(a)], 1);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let c: i32 = i32(item.x);
        let b: i32 = i32(item.y);
        let a: i32 = i32(item.z);
        if (c == 0 && b == 0) {
            atomicStore(&out_2[args_2.out_start + u32(2 + a)], 1);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let c: i32 = i32(item.x);
        let b: i32 = i32(item.y);
        let a: i32 = i32(item.z);
        if (c == 0) {
            atomicStore(&out_2[args_2.out_start + u32(2 * b + a)], atomicLoad(&out_2[args_2.out_start + u32(2 * b + a)]) + 1);
        }
    }
    workgroupBarrier();
    storageBarrier();
    {
        let b: i32 = i32(item.y);
        let a: i32 = i32(item.z);
        atomicAdd(&out_2[args_2.out_start + u32(2 * b + a)], 1);
    }
}

@compute @workgroup_size(2, 2, 1)
fn in_loop_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let k: i32 = i32(item.x);
        let j: i32 = i32(item.y);
        if (k == 0) {
            s[j] = 0;
        }
    }
    workgroupBarrier();
    storageBarrier();
    for (var step: i32 = 0; step < args_3.n; step += 1) {
        {
            let k: i32 = i32(item.x);
            let j: i32 = i32(item.y);
            if (k == 0) {
                s[j] += 10;
            }
        }
        workgroupBarrier();
        storageBarrier();
        {
            let k: i32 = i32(item.x);
            let j: i32 = i32(item.y);
            out_3[args_3.out_start + u32(2 * j + k)] = s[j] + k;
        }
        workgroupBarrier();
        storageBarrier();
    }
}
