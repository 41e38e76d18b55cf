// WGSL, made from OKL.
// @kernel forms: forms_0
// @kernel narrow: narrow_0
// @kernel in_loops: in_loops_0
// @kernel behind_barriers: behind_barriers_0
// @kernel in_functions: in_functions_0
// @kernel lazily: lazily_0

struct Args {
    n: i32,
    d: i32,
    u: u32,
    l: i64,
    x: f32,
    y: f64,
    faults_start: u32,
    first_x: u32,
}

var<immediate> args: Args;

struct Args_1 {
    c: i32,
    s: i32,
    b: u32,
    h: u32,
    faults_start: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    n: i32,
    a_start: u32,
    b_start: u32,
    faults_start: u32,
}

var<immediate> args_2: Args_2;

struct Args_3 {
    a_start: u32,
    faults_start: u32,
}

var<immediate> args_3: Args_3;

struct Args_4 {
    n: i32,
    a_start: u32,
    faults_start: u32,
    first_x: u32,
}

var<immediate> args_4: Args_4;

@group(0) @binding(6) var<storage, read_write> faults: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> faults_1: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> a: array<i32>;
@group(0) @binding(2) var<storage, read_write> b: array<i32>;
@group(0) @binding(3) var<storage, read_write> faults_2: array<atomic<u32>>;
@group(0) @binding(0) var<storage, read_write> a_1: array<i32>;
var<workgroup> s: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> faults_3: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> a_2: array<f64>;
@group(0) @binding(2) var<storage, read_write> faults_4: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> a_3: array<i32>;

// The value of a half, which is held as its bits. WGSL's own conversions may lose subnormals, and round as they like.
fn okl_f32_of_f16(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let rest = half & 0x7fffu;
    let normal = (rest << 13u) + 0x38000000u;
    // A subnormal half is a multiple of 2^-24.
    let subnormal = bitcast<u32>(f32(rest) * 5.9604644775390625e-8f);
    let finite = select(normal, subnormal, rest < 0x400u);
    // The exponent of infinities and NaNs is all ones in both types.
    return bitcast<f32>(sign | finite | select(0u, 0x7f800000u, rest >= 0x7c00u));
}

fn begin_line_of_faults(words: u32, faults_start: u32) -> u32 {
    var used: u32;
    used = atomicAdd(&faults[faults_start + 12u], 0u);
    if (used < 262144u) {
        used = atomicAdd(&faults[faults_start + 12u], words);
        if (used + words <= 262144u) {
            return used + 16u;
        }
    }
    atomicAdd(&faults[faults_start + 13u], 1u);
    return 0u;
}

fn begin_line_of_faults_1(words: u32, faults_start: u32) -> u32 {
    var used: u32;
    used = atomicAdd(&faults_1[faults_start + 12u], 0u);
    if (used < 262144u) {
        used = atomicAdd(&faults_1[faults_start + 12u], words);
        if (used + words <= 262144u) {
            return used + 16u;
        }
    }
    atomicAdd(&faults_1[faults_start + 13u], 1u);
    return 0u;
}

fn begin_line_of_faults_2(words: u32, faults_start: u32) -> u32 {
    var used: u32;
    used = atomicAdd(&faults_2[faults_start + 12u], 0u);
    if (used < 262144u) {
        used = atomicAdd(&faults_2[faults_start + 12u], words);
        if (used + words <= 262144u) {
            return used + 16u;
        }
    }
    atomicAdd(&faults_2[faults_start + 13u], 1u);
    return 0u;
}

fn begin_line_of_faults_3(words: u32, faults_start: u32) -> u32 {
    var used: u32;
    used = atomicAdd(&faults_3[faults_start + 12u], 0u);
    if (used < 262144u) {
        used = atomicAdd(&faults_3[faults_start + 12u], words);
        if (used + words <= 262144u) {
            return used + 16u;
        }
    }
    atomicAdd(&faults_3[faults_start + 13u], 1u);
    return 0u;
}

fn begin_line_of_faults_4(words: u32, faults_start: u32) -> u32 {
    var used: u32;
    used = atomicAdd(&faults_4[faults_start + 12u], 0u);
    if (used < 262144u) {
        used = atomicAdd(&faults_4[faults_start + 12u], words);
        if (used + words <= 262144u) {
            return used + 16u;
        }
    }
    atomicAdd(&faults_4[faults_start + 13u], 1u);
    return 0u;
}

fn twice_of_faults(i: i32, x: f64, group_x: u32, item_x: u32, faults_start: u32) -> f64 {
    {
        var printed: u64 = bitcast<u64>(x);
        var line: u32;
        line = begin_line_of_faults_4(3u, faults_start);
        if (line != 0u) {
            atomicStore(&faults_4[faults_start + line], 1u);
            atomicStore(&faults_4[faults_start + (line + 1u)], u32(printed));
            atomicStore(&faults_4[faults_start + (line + 2u)], u32(printed >> 32u));
        }
    }
    if (i < 0) {
        return 0.0lf;
    }
    {
        var printed: u32 = u32(i);
        var line: u32;
        line = begin_line_of_faults_4(2u, faults_start);
        if (line != 0u) {
            atomicStore(&faults_4[faults_start + line], 2u);
            atomicStore(&faults_4[faults_start + (line + 1u)], printed);
        }
    }
    return 2.0lf * x;
}

fn none_of_faults(i: i32, group_x: u32, item_x: u32, faults_start: u32) {
    if (i > 0) {
        {
            var line: u32;
            line = begin_line_of_faults_4(1u, faults_start);
            if (line != 0u) {
                atomicStore(&faults_4[faults_start + line], 3u);
            }
        }
    }
}

fn odd_of_faults(i: i32, group_x: u32, item_x: u32, faults_start: u32) -> bool {
    {
        var printed: u32 = u32(i);
        var line: u32;
        line = begin_line_of_faults_4(2u, faults_start);
        if (line != 0u) {
            atomicStore(&faults_4[faults_start + line], 4u);
            atomicStore(&faults_4[faults_start + (line + 1u)], printed);
        }
    }
    return true;
}

@compute @workgroup_size(64, 1, 1)
fn forms_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args.first_x) * 64;
    let i: i32 = i_block + i32(item.x);
    if (i < args.n) {
        {
            var printed: u32 = u32(args.d);
            var printed_1: u32 = u32(args.d);
            var printed_2: u32 = u32(args.d);
            var printed_3: u32 = u32(args.d);
            var printed_4: u32 = args.u;
            var printed_5: u32 = args.u;
            var printed_6: u32 = args.u;
            var printed_7: u32 = args.u;
            var line: u32;
            line = begin_line_of_faults(9u, args.faults_start);
            if (line != 0u) {
                atomicStore(&faults[args.faults_start + line], 5u);
                atomicStore(&faults[args.faults_start + (line + 1u)], printed);
                atomicStore(&faults[args.faults_start + (line + 2u)], printed_1);
                atomicStore(&faults[args.faults_start + (line + 3u)], printed_2);
                atomicStore(&faults[args.faults_start + (line + 4u)], printed_3);
                atomicStore(&faults[args.faults_start + (line + 5u)], printed_4);
                atomicStore(&faults[args.faults_start + (line + 6u)], printed_5);
                atomicStore(&faults[args.faults_start + (line + 7u)], printed_6);
                atomicStore(&faults[args.faults_start + (line + 8u)], printed_7);
            }
        }
        {
            var printed: u64 = u64(args.l);
            var printed_1: u64 = u64(args.l);
            var printed_2: u32 = u32(extractBits(args.d, 0u, 16u));
            var printed_3: u32 = 1u;
            var line: u32;
            line = begin_line_of_faults(7u, args.faults_start);
            if (line != 0u) {
                atomicStore(&faults[args.faults_start + line], 6u);
                atomicStore(&faults[args.faults_start + (line + 1u)], u32(printed));
                atomicStore(&faults[args.faults_start + (line + 2u)], u32(printed >> 32u));
                atomicStore(&faults[args.faults_start + (line + 3u)], u32(printed_1));
                atomicStore(&faults[args.faults_start + (line + 4u)], u32(printed_1 >> 32u));
                atomicStore(&faults[args.faults_start + (line + 5u)], printed_2);
                atomicStore(&faults[args.faults_start + (line + 6u)], printed_3);
            }
        }
        {
            var printed: u32 = bitcast<u32>(args.x);
            var printed_1: u32 = bitcast<u32>(args.x);
            var printed_2: u32 = bitcast<u32>(args.x);
            var printed_3: u64 = bitcast<u64>(args.y);
            var printed_4: u32 = bitcast<u32>(args.x);
            var printed_5: u32 = bitcast<u32>(args.x);
            var line: u32;
            line = begin_line_of_faults(8u, args.faults_start);
            if (line != 0u) {
                atomicStore(&faults[args.faults_start + line], 7u);
                atomicStore(&faults[args.faults_start + (line + 1u)], printed);
                atomicStore(&faults[args.faults_start + (line + 2u)], printed_1);
                atomicStore(&faults[args.faults_start + (line + 3u)], printed_2);
                atomicStore(&faults[args.faults_start + (line + 4u)], u32(printed_3));
                atomicStore(&faults[args.faults_start + (line + 5u)], u32(printed_3 >> 32u));
                atomicStore(&faults[args.faults_start + (line + 6u)], printed_4);
                atomicStore(&faults[args.faults_start + (line + 7u)], printed_5);
            }
        }
        {
            var line: u32;
            line = begin_line_of_faults(1u, args.faults_start);
            if (line != 0u) {
                atomicStore(&faults[args.faults_start + line], 8u);
            }
        }
    }
}

@compute @workgroup_size(1, 1, 1)
fn narrow_0() {
    {
        var printed: u32 = u32(args_1.c);
        var printed_1: u32 = u32(args_1.s);
        var printed_2: u32 = u32(select(0, 1, args_1.b != 0u));
        var printed_3: u32 = bitcast<u32>(okl_f32_of_f16(args_1.h));
        var printed_4: u32 = u32(args_1.c);
        var printed_5: u32 = u32(args_1.s);
        var line: u32;
        line = begin_line_of_faults_1(7u, args_1.faults_start);
        if (line != 0u) {
            atomicStore(&faults_1[args_1.faults_start + line], 9u);
            atomicStore(&faults_1[args_1.faults_start + (line + 1u)], printed);
            atomicStore(&faults_1[args_1.faults_start + (line + 2u)], printed_1);
            atomicStore(&faults_1[args_1.faults_start + (line + 3u)], printed_2);
            atomicStore(&faults_1[args_1.faults_start + (line + 4u)], printed_3);
            atomicStore(&faults_1[args_1.faults_start + (line + 5u)], printed_4);
            atomicStore(&faults_1[args_1.faults_start + (line + 6u)], printed_5);
        }
    }
}

override in_loops_0_x: u32 = 1u;
override in_loops_0_y: u32 = 1u;
override in_loops_0_z: u32 = 1u;

@compute @workgroup_size(in_loops_0_x, in_loops_0_y, in_loops_0_z)
fn in_loops_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        var sum: i32 = 0;
        for (var k: i32 = 0; k < args_2.n; k += 1) {
            if (k < i) {
                {
                    var printed: u32 = u32(i);
                    var printed_1: u32 = u32(sum + a[args_2.a_start + u32(i)] + k);
                    var line: u32;
                    line = begin_line_of_faults_2(3u, args_2.faults_start);
                    if (line != 0u) {
                        atomicStore(&faults_2[args_2.faults_start + line], 10u);
                        atomicStore(&faults_2[args_2.faults_start + (line + 1u)], printed);
                        atomicStore(&faults_2[args_2.faults_start + (line + 2u)], printed_1);
                    }
                }
            }
            sum += a[args_2.a_start + u32(k)];
            sum -= a[args_2.a_start + u32(k)] - a[args_2.a_start + u32(i)];
        }
        b[args_2.b_start + u32(i)] = sum - a[args_2.a_start + u32(i)] + 1;
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        {
            var printed: u32 = u32(i);
            var printed_1: u32 = u32(a[args_2.a_start + u32(i)]);
            var line: u32;
            line = begin_line_of_faults_2(3u, args_2.faults_start);
            if (line != 0u) {
                atomicStore(&faults_2[args_2.faults_start + line], 11u);
                atomicStore(&faults_2[args_2.faults_start + (line + 1u)], printed);
                atomicStore(&faults_2[args_2.faults_start + (line + 2u)], printed_1);
            }
        }
    }
}

@compute @workgroup_size(4, 1, 1)
fn behind_barriers_0(@builtin(local_invocation_id) item: vec3<u32>) {
    {
        let i: i32 = i32(item.x);
        s[3 - i] = a_1[args_3.a_start + u32(i)];
    }
    workgroupBarrier();
    storageBarrier();
    {
        let i: i32 = i32(item.x);
        a_1[args_3.a_start + u32(i)] = s[i];
        if (s[i] == 4) {
            {
                var printed: u32 = u32(s[i]);
                var line: u32;
                line = begin_line_of_faults_3(2u, args_3.faults_start);
                if (line != 0u) {
                    atomicStore(&faults_3[args_3.faults_start + line], 12u);
                    atomicStore(&faults_3[args_3.faults_start + (line + 1u)], printed);
                }
            }
        } else {
            {
                var printed: u32 = u32(s[i]);
                var line: u32;
                line = begin_line_of_faults_3(2u, args_3.faults_start);
                if (line != 0u) {
                    atomicStore(&faults_3[args_3.faults_start + line], 13u);
                    atomicStore(&faults_3[args_3.faults_start + (line + 1u)], printed);
                }
            }
        }
    }
}

@compute @workgroup_size(2, 1, 1)
fn in_functions_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_4.first_x) * 2;
    let i: i32 = i_block + i32(item.x);
    if (i < args_4.n) {
        var result: f64;
        result = twice_of_faults(i, a_2[args_4.a_start + u32(i)], u32(i_block / 2), u32(i - i_block), args_4.faults_start);
        a_2[args_4.a_start + u32(i)] = result;
        none_of_faults(i, u32(i_block / 2), u32(i - i_block), args_4.faults_start);
    }
}

@compute @workgroup_size(4, 1, 1)
fn lazily_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_4.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_4.n) {
        var holds: bool = i % 2 == 1;
        if (holds) {
            var result: bool;
            result = odd_of_faults(i, u32(i_block / 4), u32(i - i_block), args_4.faults_start);
            holds = result;
        }
        a_3[args_4.a_start + u32(i)] = select(0, 1, holds);
    }
}
