// WGSL, made from OKL.
// @kernel sums: sums_0
// @kernel primes: primes_0
// @kernel collatz: collatz_0
// @kernel once: once_0

struct Args {
    n: i32,
    out_start: u32,
}

var<immediate> args: Args;

struct Args_1 {
    n: i32,
    out_start: u32,
    first_x: u32,
}

var<immediate> args_1: Args_1;

struct Args_2 {
    out_start: u32,
}

var<immediate> args_2: Args_2;

@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(0) var<storage, read_write> out_1: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn sums_0() {
    var a: i32 = 0;
    var b: i32 = 0;
    var c: i32 = 0;
    var d: i32 = 0;
    var e: i32 = 0;
    for (var i: i32 = 0; i < args.n; i += 1) {
        a += i;
    }
    var i: i32 = 0;
    while (i < args.n) {
        b += i;
        i += 1;
    }
    i = 0;
    loop {
        c += i;
        continuing {
            i += 1;
            break if i >= args.n;
        }
    }
    for (var k: i32 = 0; k < args.n; k += 1) {
        if (k % 2 == 0) {
            continue;
        }
        d += k;
    }
    loop {
        if (e > 5) {
            break;
        }
        e += 1;
    }
    var f: i32 = 0;
    while (f > 0) {
        f += 1;
    }
    out[args.out_start] = a;
    out[args.out_start + 1u] = b;
    out[args.out_start + 2u] = c;
    out[args.out_start + 3u] = d;
    out[args.out_start + 4u] = e;
    out[args.out_start + 5u] = f;
}

@compute @workgroup_size(1, 1, 1)
fn primes_0() {
    var found: i32 = 0;
    for (var p: i32 = 2; p < args.n; p += 1) {
        var prime: bool = true;
        for (var d: i32 = 2; d * d <= p; d += 1) {
            if (p % d == 0) {
                prime = false;
                break;
            }
        }
        if (!prime) {
            continue;
        }
        let before: i32 = found;
        found += 1;
        out[args.out_start + u32(before)] = p;
    }
}

@compute @workgroup_size(4, 1, 1)
fn collatz_0(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i_block: i32 = i32(group.x + 65535 * group.y + args_1.first_x) * 4;
    let i: i32 = i_block + i32(item.x);
    if (i < args_1.n) {
        var x: i32 = i + 1;
        var turns: i32 = 0;
        while (x != 1) {
            x = select(x / 2, 3 * x + 1, x % 2 != 0);
            turns += 1;
        }
        out[args_1.out_start + u32(i)] = turns;
    }
}

@compute @workgroup_size(1, 1, 1)
fn once_0() {
    var a: i32 = 0;
    loop {
        a += 1;
        if (a == 1) {
            continue;
        }
        a = 100;
        continuing {
            break if a <= 1;
        }
    }
    out_1[args_2.out_start] = a;
    var turns: i32 = 0;
    var left: i32 = 5;
    loop {
        let before: i32 = left;
        left -= 1;
        if (before <= 0) { break; }
        if (left == 3) {
            continue;
        }
        if (left == 1) {
            break;
        }
        turns += 1;
    }
    out_1[args_2.out_start + 1u] = turns + left;
    var last: i32 = 0;
    {
        var k: i32 = 0;
        var m: i32 = 8;
        loop {
            if (k >= m) { break; }
            last = m;
            continuing {
                k += 1;
                m -= 1;
            }
        }
    }
    out_1[args_2.out_start + 2u] = last - 1;
}
