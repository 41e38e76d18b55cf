//! Several outer nests in one kernel, and the host statements between them.

use super::build;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["host"; nests_run_in_order, host_scalars_reach_the_nests, condition_chooses_a_nest, loop_around_a_nest, host_arithmetic, host_return];

fn nests_run_in_order(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a, int *b) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] = i; }
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { b[i] = a[n - 1 - i]; }
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] += 1000 * b[i]; }
    }";
    let kernel = build(device, source)?;
    let mut a = device.malloc_filled(100, -1i32)?;
    let mut b = device.malloc_filled(100, -1i32)?;
    kernel.launch(args![100, &mut a, &mut b])?;
    check::same("a", &a.to_vec()?, &(0..100).map(|i| i + 1000 * (99 - i)).collect::<Vec<_>>())
}

fn host_scalars_reach_the_nests(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float x, float *a) {
        const int half = n / 2;
        float scale = 2.0f * x;
        scale += 1.0f;
        for (int i = 0; i < half; ++i; @tile(8, @outer, @inner)) { a[i] = scale * i + half; }
    }";
    let kernel = build(device, source)?;
    let mut a = device.malloc_filled(20, -1f32)?;
    kernel.launch(args![20, 0.75f32, &mut a])?;
    check::same(
        "a",
        &a.to_vec()?,
        &(0..20).map(|i| if i < 10 { 2.5 * i as f32 + 10.0 } else { -1.0 }).collect::<Vec<_>>(),
    )
}

fn condition_chooses_a_nest(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int which, int *a) {
        if (which > 0) { for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { a[i] = 1; } }
        else if (which == 0) { for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { a[i] = 2; } }
    }";
    let kernel = build(device, source)?;
    for (which, expected) in [(1, 1), (0, 2), (-1, -5)] {
        let mut a = device.malloc_filled(10, -5i32)?;
        kernel.launch(args![10, which, &mut a])?;
        check::same("a", &a.to_vec()?, &[expected; 10])?;
    }
    Ok(())
}

fn loop_around_a_nest(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a) {
        for (int stride = 1; stride < n; stride *= 2) {
            for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { if (i % (2 * stride) == 0 && i + stride < n) { a[i] += a[i + stride]; } }
        }
    }";
    let kernel = build(device, source)?;
    let mut a = device.malloc_from(&(1..=37).collect::<Vec<i32>>())?;
    kernel.launch(args![37, &mut a])?;
    check::equal("sum", a.to_vec()?[0], 37 * 38 / 2)
}

fn host_arithmetic(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float x, const unsigned int u, int *a) {
        const int from_float = (int) (x * 10.0f);
        const unsigned int wrapped = u + 3u;
        const int chosen = (n > 5 && from_float != 0) ? max(from_float, 3) : -1;
        const int shifted = (n << 3) | 1;
        const float root = sqrt(x);
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 1; ++i; @inner) {
            a[0] = from_float; a[1] = (int) wrapped; a[2] = chosen; a[3] = shifted; a[4] = (int) (root * 100.0f);
        } }
    }";
    let kernel = build(device, source)?;
    let mut a = device.malloc_filled(5, -1i32)?;
    kernel.launch(args![10, 2.25f32, u32::MAX, &mut a])?;
    check::same("a", &a.to_vec()?, &[22, 2, 22, 81, 150])
}

fn host_return(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a) {
        for (int i = 0; i < 4; ++i; @tile(4, @outer, @inner)) { a[i] = 1; }
        if (n == 0) { return; }
        for (int i = 0; i < 4; ++i; @tile(4, @outer, @inner)) { a[i] = 2; }
    }";
    let kernel = build(device, source)?;
    for (n, expected) in [(0, 1), (1, 2)] {
        let mut a = device.malloc_filled(4, 0i32)?;
        kernel.launch(args![n, &mut a])?;
        check::same("a", &a.to_vec()?, &[expected; 4])?;
    }
    Ok(())
}
