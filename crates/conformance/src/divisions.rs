//! Divisions of integers that have no result are errors, found before a launch or reported as an index out of range is: no
//! process ends, and no number is made up.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, ErrorKind, Kernel, Result, args};

cases!["divisions";
    divisors_from_memory, least_by_minus_one, divisors_that_a_launch_knows, updates_and_functions, atomic_divisions,
    wide_divisions, conditions_around_divisions, replayed_divisions, sizes_that_divide,
];

/// A device of the case's own: others wait for theirs meanwhile, and would be told.
fn own(device: &Device) -> Result<Device> {
    Device::open(device.props().clone())
}

/// What a launch and a wait behind it say.
fn waited(device: &Device, launched: Result<()>) -> Result<()> {
    launched.and_then(|()| device.finish())
}

/// That a launch says what has no result, and where, in the words of the launch or of the device.
fn is_refused(what: &str, device: &Device, launched: Result<()>, place: &str) -> Outcome {
    let answer = waited(device, launched);
    let is_division = matches!(answer.as_ref().map_err(|error| error.kind()), Err(ErrorKind::Division { .. }));
    let told = answer.as_ref().map_or_else(|error| error.to_string(), |()| String::new());
    check::refused(what, answer, &[place])?;
    // A device that stops at faults has words of its own for a quotient that does not fit.
    if device.capabilities().stops_at_faults {
        return Ok(());
    }
    let words = ["it would divide", "division by zero in", "was divided by -1"];
    check::that(is_division && words.iter().any(|words| told.contains(words)), format!("{what}: {told}"))
}

const SHARE: &str = "@kernel void share(const int n, const int *a, const int *b, int *q, int *r) {
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}";

fn share(device: &Device) -> Result<Kernel> {
    device.build_kernel_from_string(SHARE, "share", "")
}

fn divisors_from_memory(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = share(&device)?;
    let a = device.malloc_from(&[7, -7, 9, i32::MIN])?;
    let (mut q, mut r) = (device.malloc_filled(4, -5)?, device.malloc_filled(4, -5)?);
    let good = device.malloc_from(&[2, 2, -1, 3])?;
    let bad = device.malloc_from(&[2, 0, -1, 3])?;
    let launched = kernel.launch(args![4, &a, &bad, &mut q, &mut r]);
    is_refused("a zero in memory", &device, launched, ":3:16")?;
    let launched = kernel.launch(args![4, &a, &bad, &mut q, &mut r]);
    if !device.capabilities().stops_at_faults {
        let words = ["kernel `share`", "division by zero in `a[i] / b[i]`", "item [1, 0, 0]", "0 as the result"];
        check::refused("the words", waited(&device, launched), &words)?;
        check::same("the others have their quotients", &q.to_vec()?, &[3, 0, -9, i32::MIN / 3])?;
    }
    let launched = kernel.launch(args![4, &a, &good, &mut q, &mut r]);
    waited(&device, launched)?;
    check::same("q", &q.to_vec()?, &[3, -3, -9, i32::MIN / 3])?;
    check::same("r", &r.to_vec()?, &[1, -1, 0, i32::MIN % 3])
}

fn least_by_minus_one(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = share(&device)?;
    let (mut q, mut r) = (device.malloc_filled(2, -5)?, device.malloc_filled(2, -5)?);
    let a = device.malloc_from(&[i32::MIN, i32::MIN + 1])?;
    let b = device.malloc_from(&[-1, -1])?;
    let launched = kernel.launch(args![2, &a, &b, &mut q, &mut r]);
    is_refused("the least integer by -1", &device, launched, ":3:16")?;
    let launched = kernel.launch(args![1, &a.slice(1..2)?, &b, &mut q, &mut r]);
    waited(&device, launched)?;
    check::same("the next one", &[q.to_vec()?[0], r.to_vec()?[0]], &[i32::MAX, 0])
}

fn divisors_that_a_launch_knows(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void wrap(const int n, const int m, const int k, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { to[i] = i % m + (i + 1) / (m * k); }
    }";
    let kernel = device.build_kernel_from_string(source, "wrap", "")?;
    check::that(kernel.signature().checked.is_empty(), "a launch proves all of it")?;
    let mut to = device.malloc_filled(5, -1)?;
    kernel.launch(args![5, 3, 1, &mut to])?;
    device.finish()?;
    check::same("to", &to.to_vec()?, &[0, 1, 3, 1, 2])?;
    for (m, k, place) in [(0, 1, ":2:74"), (3, 0, ":2:82")] {
        let launched = kernel.launch(args![5, m, k, &mut to]);
        is_refused("zero", &device, launched, place)?;
    }
    if !device.capabilities().stops_at_faults {
        check::same("nothing has run", &to.to_vec()?, &[0, 1, 3, 1, 2])?;
    }
    // A launch of nothing divides nothing, and a negative divisor is as good as another one.
    kernel.launch(args![0, 0, 0, &mut to])?;
    for m in [-2, -1] {
        kernel.launch(args![5, m, 1, &mut to])?;
        device.finish()?;
        let expected: Vec<i32> = (0..5).map(|i| i % m + (i + 1) / m).collect();
        check::same("by a negative number", &to.to_vec()?, &expected)?;
    }
    Ok(())
}

fn updates_and_functions(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "int part(const int *of, const int k, const int by) { return of[k] / by; }
    @kernel void update(const int *b, int *q, int *s) {
        for (int i = 0; i < 3; ++i; @tile(16, @outer, @inner)) {
            q[i] /= b[i];
            s[i] %= b[i + 3];
            q[i] += part(b, i, b[i + 6]);
        }
    }";
    let kernel = device.build_kernel_from_string(source, "update", "")?;
    let (mut q, mut s) = (device.malloc_from(&[9, 8, 7])?, device.malloc_from(&[9, 8, 7])?);
    let b = device.malloc_from(&[2, 3, -1, 2, 3, -1, 1, -1, 5])?;
    let launched = kernel.launch(args![&b, &mut q, &mut s]);
    waited(&device, launched)?;
    check::same("q", &q.to_vec()?, &[4 + 2, 2 - 3, -7])?;
    check::same("s", &s.to_vec()?, &[1, 2, 0])?;
    for (at, place) in [(1, ":4:13"), (5, ":5:13"), (6, ":1:61")] {
        let mut values = [1; 9];
        values[at] = 0;
        let b = device.malloc_from(&values)?;
        is_refused("an update", &device, kernel.launch(args![&b, &mut q, &mut s]), place)?;
    }
    Ok(())
}

fn atomic_divisions(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void halve(const int *b, int *q, unsigned int *u) {
        for (int i = 0; i < 2; ++i; @tile(16, @outer, @inner)) {
            @atomic q[0] /= b[i];
            @atomic u[0] /= (unsigned int) b[i + 2];
        }
    }";
    let kernel = device.build_kernel_from_string(source, "halve", "")?;
    let (mut q, mut u) = (device.malloc_from(&[60])?, device.malloc_from(&[60u32])?);
    let launched = kernel.launch(args![&device.malloc_from(&[-1, 3, 2, 5])?, &mut q, &mut u]);
    waited(&device, launched)?;
    check::same("q", &q.to_vec()?, &[-20])?;
    check::same("u", &u.to_vec()?, &[6u32])?;
    let launched = kernel.launch(args![&device.malloc_from(&[2, 0, 1, 1])?, &mut q, &mut u]);
    is_refused("zero", &device, launched, ":3:2")?;
    let launched = kernel.launch(args![&device.malloc_from(&[2, 1, 0, 1])?, &mut q, &mut u]);
    is_refused("zero without a sign", &device, launched, ":4:2")?;
    q.fill(i32::MIN)?;
    let launched = kernel.launch(args![&device.malloc_from(&[-1, 1, 1, 1])?, &mut q, &mut u]);
    is_refused("the least integer", &device, launched, ":3:2")
}

fn wide_divisions(device: &Device) -> Outcome {
    if !device.capabilities().i64 {
        return Ok(());
    }
    let device = own(device)?;
    let source = "@kernel void wide(const long *a, const unsigned long *b, const short *c, long *q, unsigned long *r) {
        for (int i = 0; i < 2; ++i; @tile(16, @outer, @inner)) {
            q[i] = a[i] / a[i + 2];
            r[i] = b[i] % b[i + 2];
            r[i] += c[i] / c[i + 2];
        }
    }";
    let kernel = device.build_kernel_from_string(source, "wide", "")?;
    let (mut q, mut r) = (device.malloc_filled(2, 0i64)?, device.malloc_filled(2, 0u64)?);
    let far = 1i64 << 40;
    let a = device.malloc_from(&[far, -far, -1, 1 << 20])?;
    let b = device.malloc_from(&[u64::MAX, 7, u64::MAX - 1, 1 << 63])?;
    let c = device.malloc_from(&[i16::MIN, 9, -1, 4])?;
    let launched = kernel.launch(args![&a, &b, &c, &mut q, &mut r]);
    waited(&device, launched)?;
    check::same("q", &q.to_vec()?, &[-far, -1 << 20])?;
    check::same("r", &r.to_vec()?, &[1 + 32768, 7 + 2])?;
    let bad = device.malloc_from(&[i64::MIN, 5, -1, 1])?;
    is_refused("long", &device, kernel.launch(args![&bad, &b, &c, &mut q, &mut r]), ":3:20")?;
    let bad = device.malloc_from(&[1u64, 5, 1, 0])?;
    is_refused("unsigned long", &device, kernel.launch(args![&a, &bad, &c, &mut q, &mut r]), ":4:20")?;
    let bad = device.malloc_from(&[1i16, 5, 0, 1])?;
    is_refused("short", &device, kernel.launch(args![&a, &b, &bad, &mut q, &mut r]), ":5:21")
}

/// A condition that asks for zero is enough, and what it guards is not evaluated.
fn conditions_around_divisions(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void asked(const int n, const int m, const int *b, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            int sum = b[i] ? 100 / b[i] : 1;
            if (b[i] != 0 && 50 % b[i] == 0) { sum += 1000; }
            const int by = b[i];
            if (by > 0) { sum += i / by; }
            if (m != 0) { sum += i % m; }
            to[i] = sum;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "asked", "")?;
    let b = device.malloc_from(&[0, 3, -5, 0, 2])?;
    let mut to = device.malloc_filled(5, 0)?;
    for (m, rests) in [(0, [0; 5]), (3, [0, 1, 2, 0, 1])] {
        let launched = kernel.launch(args![5, m, &b, &mut to]);
        waited(&device, launched)?;
        let expected: Vec<i32> = [1, 33, 980, 1, 1052].iter().zip(rests).map(|(a, b)| a + b).collect();
        check::same("to", &to.to_vec()?, &expected)?;
    }
    Ok(())
}

fn replayed_divisions(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = share(&device)?;
    let a = device.malloc_from(&[7, 8])?;
    let mut b = device.malloc_from(&[2, 3])?;
    let (mut q, mut r) = (device.malloc_filled(2, 0)?, device.malloc_filled(2, 0)?);
    let mut graph = device.record(|g| g.launch(&kernel, args![2, &a, &b, &mut q, &mut r]).map(drop))?;
    graph.replay(2)?;
    device.finish()?;
    b.copy_from(&[2, 0])?;
    let replayed = graph.replay(1);
    is_refused("a replay", &device, replayed, ":3:16")?;
    b.copy_from(&[7, 2])?;
    graph.replay(1)?;
    device.finish()?;
    check::same("q", &q.to_vec()?, &[1, 4])
}

/// What decides a launch's sizes is divided by the host.
fn sizes_that_divide(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void parts(const int n, const int m, int *to) {
        for (int g = n / m; g < n / m + 2; ++g; @outer) {
            for (int i = g % m; i < g % m + 2; ++i; @inner) { to[(g - n / m) * 2 + i - g % m] = g + i; }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "parts", "")?;
    let mut to = device.malloc_filled(4, 0)?;
    let launched = kernel.launch(args![7, 3, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[4, 5, 3, 4])?;
    let launched = kernel.launch(args![7, 0, &mut to]);
    check::refused("by zero", waited(&device, launched), &["`parts`", "zero", ":2:"])
}
