//! `@atomic` updates: none may be lost, however many items and groups meet.

use super::build;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["atomics"; add_and_increment, subtract, bitwise, minimum_and_maximum, unsigned, float_add, double_add: F64, long_add: I64, shared_histogram, struct_field, old_values_are_tickets, captured_values, sums_by_compare_and_swap, long_cas: I64];

const N: usize = 20_000;

/// Runs `kernel test(const int n, T *a)` whose body is `update` for each of `n` items, on `start`.
fn update<T: ferrocca_core::Element>(
    device: &Device,
    ty: &str,
    update: &str,
    start: &[T],
) -> Result<Vec<T>, check::Failure> {
    let source = format!(
        "@kernel void test(const int n, {ty} *a) {{ for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {{ {update} }} }}"
    );
    let mut a = device.malloc_from(start)?;
    build(device, &source)?.launch(args![N, &mut a])?;
    Ok(a.to_vec()?)
}

fn add_and_increment(device: &Device) -> Outcome {
    let out = update(
        device,
        "int",
        "@atomic a[0] += 3; @atomic a[1]++; @atomic ++a[2]; @atomic a[3 + i % 2] += i;",
        &[0i32; 5],
    )?;
    let half = (N / 2) as i32;
    check::same("a", &out, &[3 * N as i32, N as i32, N as i32, half * (half - 1), half * half])
}

fn subtract(device: &Device) -> Outcome {
    let out = update(device, "int", "@atomic a[0] -= 2; @atomic a[1]--;", &[0i32, 7])?;
    check::same("a", &out, &[-2 * N as i32, 7 - N as i32])
}

fn bitwise(device: &Device) -> Outcome {
    let out = update(
        device,
        "int",
        "@atomic a[0] |= 1 << (i % 20); @atomic a[1] &= ~(1 << (i % 5)); @atomic a[2] ^= i;",
        &[0i32, 255, 0],
    )?;
    check::same("a", &out, &[(1 << 20) - 1, 224, (0..N as i32).fold(0, |a, i| a ^ i)])
}

fn minimum_and_maximum(device: &Device) -> Outcome {
    let value = "const int v = (i * 7919) % 10007;";
    let out = update(
        device,
        "int",
        &format!("{value} @atomic a[0] = min(a[0], v - 100); @atomic a[1] = max(a[1], v);"),
        &[0i32, 0],
    )?;
    let values = (0..N as i32).map(|i| i.wrapping_mul(7919) % 10_007);
    let expected = [values.clone().min().unwrap_or(0).min(100) - 100, values.max().unwrap_or(0)];
    check::same("a", &out, &expected)
}

fn unsigned(device: &Device) -> Outcome {
    let out = update(device, "unsigned int", "@atomic a[0] += 4000000000u;", &[0u32])?;
    check::same("a", &out, &[4_000_000_000u32.wrapping_mul(N as u32)])
}

fn float_add(device: &Device) -> Outcome {
    // Halves of small integers add exactly in any order.
    check::same("a", &update(device, "float", "@atomic a[0] += 0.5f;", &[0f32])?, &[N as f32 / 2.0])
}

fn double_add(device: &Device) -> Outcome {
    let out = update(device, "double", "@atomic a[0] += 0.25; @atomic a[1] -= 0.5 * (i % 2);", &[0f64, 0.0])?;
    check::same("a", &out, &[N as f64 / 4.0, -(N as f64) / 4.0])
}

fn long_add(device: &Device) -> Outcome {
    let out = update(device, "long", "@atomic a[0] += 4294967296l;", &[5i64])?;
    check::same("a", &out, &[5 + (N as i64) * (1 << 32)])
}

fn shared_histogram(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *x, int *bins) {
        for (int o = 0; o < (n + 255) / 256; ++o; @outer) {
            @shared int local[10];
            for (int i = 0; i < 64; ++i; @inner) { if (i < 10) { local[i] = 0; } }
            for (int i = 0; i < 64; ++i; @inner) {
                for (int k = 256 * o + i; k < min(n, 256 * (o + 1)); k += 64) { @atomic local[x[k]] += 1; }
            }
            for (int i = 0; i < 64; ++i; @inner) { if (i < 10) { @atomic bins[i] += local[i]; } }
        }
    }";
    let host: Vec<i32> = (0..5000).map(|i| i * i % 10).collect();
    let x = device.malloc_from(&host)?;
    let mut bins = device.malloc_filled(10, 0i32)?;
    build(device, source)?.launch(args![host.len(), &x, &mut bins])?;
    let expected: Vec<i32> = (0..10).map(|b| host.iter().filter(|x| **x == b).count() as i32).collect();
    check::same("bins", &bins.to_vec()?, &expected)
}

fn struct_field(device: &Device) -> Outcome {
    ferrocca_core::kernel_struct! {
        #[derive(PartialEq)]
        struct Tally { weight: f32, count: i32 }
    }
    let source = "struct Tally { float weight; int count; };
    @kernel void test(const int n, struct Tally *t) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { @atomic t[i % 3].count += 1; @atomic t[i % 3].weight += 0.5f; }
    }";
    let mut t = device.malloc_filled(3, Tally { weight: 0.0, count: 0 })?;
    build(device, source)?.launch(args![300, &mut t])?;
    let tally = || Tally { weight: 50.0, count: 100 };
    check::same("t", &t.to_vec()?, &[tally(), tally(), tally()])
}

/// Each item of every group gets a number that no other one gets: the old value of a counter.
fn old_values_are_tickets(device: &Device) -> Outcome {
    let source = "int take(int *counter) { return atomic_add(counter, 1); }
    @kernel void test(const int n, int *count, int *seen) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
            int at;
            @atomic at = count[0]++;
            seen[at] += 1;
            seen[n + take(&count[1])] += 1;
            seen[2 * n + atomic_sub(&count[2], 1) - 1] += 1;
        }
    }";
    let mut count = device.malloc_from(&[0, 0, N as i32])?;
    let mut seen = device.malloc_filled(3 * N, 0i32)?;
    build(device, source)?.launch(args![N, &mut count, &mut seen])?;
    check::same("count", &count.to_vec()?, &[N as i32, N as i32, 0])?;
    check::same("seen", &seen.to_vec()?, &vec![1; 3 * N])
}

/// `@atomic now = x += v` gives the new value, as in C; a block says which one is wanted.
fn captured_values(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a, int *out) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
            int old;
            @atomic out[4 * i] = a[4 * i] += i;
            @atomic { old = a[4 * i + 1]; a[4 * i + 1] |= 8; }
            out[4 * i + 1] = old;
            @atomic const int now = a[4 * i + 2] = max(a[4 * i + 2], 50);
            out[4 * i + 2] = now;
            out[4 * i + 3] = atomic_exchange(&a[4 * i + 3], 7);
        }
    }";
    let start: Vec<i32> = (0..400).collect();
    let (mut a, mut out) = (device.malloc_from(&start)?, device.malloc_filled(400, 0i32)?);
    build(device, source)?.launch(args![100, &mut a, &mut out])?;
    let left = |k: i32| [k + k / 4, k | 8, k.max(50), 7][k as usize % 4];
    let given = |k: i32| [k + k / 4, k, k.max(50), k][k as usize % 4];
    check::same("a", &a.to_vec()?, &(0..400).map(left).collect::<Vec<_>>())?;
    check::same("out", &out.to_vec()?, &(0..400).map(given).collect::<Vec<_>>())
}

fn sums_by_compare_and_swap(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, float *sum) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {
            float found = atomic_add(&sum[0], 0.0f);
            float expected = found - 1;
            while (found != expected) {
                expected = found;
                found = atomic_cas(&sum[0], expected, expected + 0.5f);
            }
        }
    }";
    let mut sum = device.malloc_from(&[0.0f32])?;
    build(device, source)?.launch(args![500, &mut sum])?;
    check::same("sum", &sum.to_vec()?, &[250.0])
}

fn long_cas(device: &Device) -> Outcome {
    let out = update(
        device,
        "long",
        "if (i < 2) { a[i + 2] = atomic_cas(&a[i], 4294967296l, -1l); }",
        &[1i64 << 32, 0, 5, 5],
    )?;
    check::same("a", &out, &[-1, 0, 1 << 32, 0])
}
