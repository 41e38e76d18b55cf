//! `@outer`, `@inner`, `@tile`, their bounds, directions and dimensions.

use super::{build, build_with, integers};
use crate::check::{self, Outcome};
use crate::harness::{alone, cases};
use ferrocca_core::{Device, args};

cases!["loops";
    outer_inner_one_dimension, outer_three_dimensions, inner_three_dimensions, indices_by_nesting, tile_checks_its_bound,
    tile_in_two_dimensions, tile_without_check, counting_down, less_or_equal, steps, run_time_inner_size, bounds_from_defines,
    start_not_zero, empty_loops, long_index: I64, max_inner_dims, inner_depends_on_outer, many_groups, statements_between_loops,
    regions_of_different_sizes, many_groups_that_move_data, many_groups_that_move_data_in_two_dimensions,
    long_loops, many_short_loops, long_loops_of_a_function, long_loops_of_items_that_end, long_loops_of_groups, extents_on_one_axis, extents_by_index, folded_axes,
    outer_within_a_loop, shared_iterations, one_item, strided_by_groups, strided_up_to_the_last_number,
];

fn outer_inner_one_dimension(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer(0)) { for (int i = o; i < o + 8; ++i; @inner(0)) { if (i < n) { out[i] = in[i] + o; } } }
    }";
    let input: Vec<i32> = (0..29).collect();
    let expected: Vec<i32> = (0..29).map(|i| i + i / 8 * 8).collect();
    check::same("out", &integers(device, source, &input, 29)?, &expected)
}

fn outer_three_dimensions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int nx, const int ny, const int nz, int *out) {
        for (int z = 0; z < nz; ++z; @outer(2)) { for (int y = 0; y < ny; ++y; @outer(1)) { for (int x = 0; x < nx; ++x; @outer(0)) {
            for (int i = 0; i < 2; ++i; @inner(0)) { out[((z * ny + y) * nx + x) * 2 + i] = 1000 * z + 100 * y + 10 * x + i; }
        } } }
    }";
    let kernel = build(device, source)?;
    let (nx, ny, nz) = (5, 3, 4);
    let mut out = device.malloc_filled(nx * ny * nz * 2, -1i32)?;
    kernel.launch(args![nx, ny, nz, &mut out])?;
    let mut expected = Vec::new();
    for (z, y, x) in (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (z, y, x)))) {
        let base = (1000 * z + 100 * y + 10 * x) as i32;
        expected.extend([base, base + 1]);
    }
    check::same("out", &out.to_vec()?, &expected)
}

fn inner_three_dimensions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; ++o; @outer(0)) {
            for (int k = 0; k < 2; ++k; @inner(2)) { for (int j = 0; j < 3; ++j; @inner(1)) { for (int i = 0; i < 4; ++i; @inner(0)) {
                out[((o * 2 + k) * 3 + j) * 4 + i] = in[o] + 100 * k + 10 * j + i;
            } } }
        }
    }";
    let mut expected = Vec::new();
    for (o, k, j, i) in (0..72).map(|x| (x / 24, x / 12 % 2, x / 4 % 3, x % 4)) {
        expected.push((o + 1) * 1000 + 100 * k + 10 * j + i);
    }
    check::same("out", &integers(device, source, &[1000, 2000, 3000], 72)?, &expected)
}

fn extents_on_one_axis(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; ++o; @outer) {
            @shared int s[8];
            for (int p = 0; p < 2; ++p; @outer) {
                for (int j = 0; j < 2; ++j; @inner) {
                    for (int k = 0; k < 3; ++k; @inner) { s[4 * j + k] = in[o] + k; @barrier; out[(o * 5 + p) * 8 + 4 * j + k] = s[4 * j + 2 - k]; }
                    for (int k = 3; k < 4; ++k; @inner) { out[(o * 5 + p) * 8 + 4 * j + k] = 7; }
                }
            }
            for (int p = 4; p > 1; --p; @outer) {
                for (int j = 0; j < 2; ++j; @inner) { for (int k = 0; k < n + 1; ++k; @inner) { out[(o * 5 + p) * 8 + 4 * j + k] = p; } }
            }
        }
    }";
    let mut expected = Vec::new();
    for (o, p, k) in (0..120).map(|x| (x / 40, x / 8 % 5, x % 4)) {
        expected.push(match (p, k) {
            (2.., _) => p,
            (_, 3) => 7,
            _ => (o + 1) * 100 + 2 - k,
        });
    }
    check::same("out", &integers(device, source, &[100, 200, 300], 120)?, &expected)
}

fn extents_by_index(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; ++o; @outer) {
            for (int p = 0; p <= o; ++p; @outer) {
                for (int j = 0; j < n - p; ++j; @inner) {
                    for (int k = j; k < 4; ++k; @inner) { out[((o * 3 + p) * 4 + j) * 4 + k] = in[o] + k; }
                }
            }
        }
    }";
    let mut expected = Vec::new();
    for (o, p, j, k) in (0..144).map(|x| (x / 48, x / 16 % 3, x / 4 % 4, x % 4)) {
        let runs = p <= o && j < 3 - p && k >= j;
        expected.push(if runs { (o + 1) * 100 + k } else { -1 });
    }
    check::same("out", &integers(device, source, &[100, 200, 300], 144)?, &expected)
}

fn folded_axes(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int a = 0; a < 3; ++a; @outer) { for (int b = 0; b < 2; ++b; @outer) { for (int c = 0; c < 3; ++c; @outer) { for (int d = 2; d > 0; --d; @outer) {
            @shared int s[24];
            for (int e = 0; e < 2; ++e; @inner) { for (int f = 0; f < 3; ++f; @inner) { for (int g = 0; g < 4; ++g; @tile(2, @inner, @inner)) {
                const int at = (e * 3 + f) * 4 + g;
                s[at] = in[a] + at;
                @barrier;
                out[(((a * 2 + b) * 3 + c) * 2 + d - 1) * 24 + at] = s[23 - at] + 1000 * b + 100 * c + 10000 * d;
            } } }
        } } } }
    }";
    let mut expected = Vec::new();
    for (a, b, c, d, at) in (0..864).map(|x| (x / 288, x / 144 % 2, x / 48 % 3, x / 24 % 2, x % 24)) {
        expected.push((a + 1) * 100_000 + 23 - at + 1000 * b + 100 * c + 10_000 * (d + 1));
    }
    check::same("out", &integers(device, source, &[100_000, 200_000, 300_000], 864)?, &expected)
}

fn outer_within_a_loop(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int a = 0; a < n; ++a; @outer) {
            for (int r = 0; r < 3; ++r) {
                for (int b = 0; b < 4; ++b; @outer) {
                    for (int i = 0; i < 2; ++i; @inner) { const int at = (a * 4 + b) * 2 + i; out[at] = r == 0 ? in[a] : 3 * out[at] + r; }
                }
            }
        }
    }";
    let expected: Vec<i32> = (0..24).map(|x| 9 * (x / 8 + 1) + 5).collect();
    check::same("out", &integers(device, source, &[1, 2, 3], 24)?, &expected)
}

fn shared_iterations(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int i = in[0]; i < in[1]; i += 2; @tile(4, @outer, @inner)) {
            for (int j = in[2]; j > 0; --j; @inner) { if (j == 2) continue; out[i * 64 + j] = i + j; }
        }
    }";
    let mut expected = vec![-1; 64 * 64];
    for (i, j) in (3..50).step_by(2).flat_map(|i| (1..41).map(move |j| (i, j))).filter(|(_, j)| *j != 2) {
        expected[i * 64 + j] = (i + j) as i32;
    }
    check::same("out", &integers(device, source, &[3, 50, 40], 64 * 64)?, &expected)
}

fn one_item(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        int sum = 0;
        for (int i = 0; i < n; ++i) { sum += in[i]; out[i] = sum; }
    }";
    check::same("out", &integers(device, source, &[1, 2, 3, 4], 5)?, &[1, 3, 6, 10, -1])
}

fn indices_by_nesting(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int y = 0; y < 2; ++y; @outer) { for (int x = 0; x < n; ++x; @outer) {
            for (int j = 0; j < 2; ++j; @inner) { for (int i = 0; i < 4; ++i; @inner) {
                out[((y * n + x) * 2 + j) * 4 + i] = in[x] + 100 * y + 10 * j + i;
            } }
        } }
    }";
    let expected: Vec<i32> =
        (0..48).map(|k| (k / 8 % 3 + 1) * 1000 + 100 * (k / 24) + 10 * (k / 4 % 2) + k % 4).collect();
    check::same("out", &integers(device, source, &[1000, 2000, 3000], 48)?, &expected)
}

fn tile_checks_its_bound(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { out[i] = in[i]; }
    }";
    for n in [1, 15, 16, 17, 100] {
        let input: Vec<i32> = (0..n).collect();
        let mut expected = input.clone();
        expected.extend([-1; 20]);
        check::same("out", &integers(device, source, &input, n as usize + 20)?, &expected)?;
    }
    Ok(())
}

fn tile_in_two_dimensions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int m, int *out) {
        for (int j = 0; j < m; ++j; @tile(4, @outer(1), @inner(1))) { for (int i = 0; i < n; ++i; @tile(8, @outer(0), @inner(0))) {
            out[j * n + i] = 1000 * j + i;
        } }
    }";
    let kernel = build(device, source)?;
    for (n, m) in [(8, 4), (13, 7), (1, 1)] {
        let mut out = device.malloc_filled(n * m + 5, -1i32)?;
        kernel.launch(args![n, m, &mut out])?;
        let mut expected: Vec<i32> = (0..n * m).map(|k| (1000 * (k / n) + k % n) as i32).collect();
        expected.extend([-1; 5]);
        check::same("out", &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn tile_without_check(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner, check=false)) { out[i] = 2 * in[i % n]; }
    }";
    let input: Vec<i32> = (0..10).collect();
    let expected: Vec<i32> = (0..16).map(|i| 2 * (i % 10)).collect();
    check::same("out", &integers(device, source, &input, 16)?, &expected)
}

fn counting_down(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = n - 1; o >= 0; --o; @outer) { for (int i = 3; i > -1; i -= 1; @inner) { out[o * 4 + i] = in[o] + i; } }
    }";
    let expected: Vec<i32> = (0..12).map(|k| (k / 4 + 1) * 10 + k % 4).collect();
    check::same("out", &integers(device, source, &[10, 20, 30], 12)?, &expected)
}

fn less_or_equal(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 1; o <= n; ++o; @outer) { for (int i = 0; 3 >= i; i++; @inner) { out[(o - 1) * 4 + i] = in[o - 1] + i; } }
    }";
    let expected: Vec<i32> = (0..12).map(|k| (k / 4 + 1) * 10 + k % 4).collect();
    check::same("out", &integers(device, source, &[10, 20, 30], 12)?, &expected)
}

fn steps(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 3; @outer) { for (int i = 0; i < 7; i = i + 2; @inner) { out[o * 10 + i] = in[o] + i; } }
    }";
    let mut expected = vec![-1; 80];
    for o in (0..8).step_by(3) {
        for i in (0..7).step_by(2) {
            expected[o * 10 + i] = (o * 100 + i) as i32;
        }
    }
    let input: Vec<i32> = (0..8).map(|o| o * 100).collect();
    check::same("out", &integers(device, source, &input, 80)?, &expected)
}

fn run_time_inner_size(device: &Device) -> Outcome {
    let source = "@kernel void test(const int groups, const int size, int *out) {
        for (int o = 0; o < groups; ++o; @outer) {
            @exclusive int mine;
            for (int i = 0; i < size; ++i; @inner) { mine = o * size + i; }
            for (int i = 0; i < size; ++i; @inner) { out[o * size + i] = mine + 1; }
        }
    }";
    let kernel = build(device, source)?;
    for size in [1, 5, 32, 100] {
        let mut out = device.malloc_filled(3 * size, 0i32)?;
        kernel.launch(args![3, size, &mut out])?;
        check::same("out", &out.to_vec()?, &(1..=3 * size as i32).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn bounds_from_defines(device: &Device) -> Outcome {
    let source = "@kernel void test(int *out) {
        for (int o = 0; o < GROUPS; ++o; @outer) { for (int i = 0; i < SIZE * 2; ++i; @inner) { out[o * SIZE * 2 + i] = i; } }
    }";
    let kernel = build_with(device, source, "defines: {GROUPS: 3, SIZE: '(1 + 3)'}")?;
    let mut out = device.malloc_filled(24, -1i32)?;
    kernel.launch(args![&mut out])?;
    check::same("out", &out.to_vec()?, &(0..24).map(|k| k % 8).collect::<Vec<_>>())
}

fn start_not_zero(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int i = 3; i < n - 2; ++i; @tile(4, @outer, @inner)) { out[i] = in[i]; }
    }";
    let input: Vec<i32> = (0..20).collect();
    let expected: Vec<i32> = (0..20).map(|i| if (3..18).contains(&i) { i } else { -1 }).collect();
    check::same("out", &integers(device, source, &input, 20)?, &expected)
}

fn empty_loops(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *out) {
        for (int o = 0; o < n; ++o; @outer) { for (int i = 0; i < 4; ++i; @inner) { out[i] = 1; } }
        for (int o = 0; o < 2; ++o; @outer) { for (int i = 5; i < n; ++i; @inner) { out[i] = 2; } }
    }";
    let kernel = build(device, source)?;
    for n in [0, -3] {
        let mut out = device.malloc_filled(8, -1i32)?;
        kernel.launch(args![n, &mut out])?;
        check::same("out", &out.to_vec()?, &[-1; 8])?;
    }
    Ok(())
}

fn long_index(device: &Device) -> Outcome {
    let source = "@kernel void test(const long first, const long end, long *out) {
        for (long i = first; i < end; ++i; @tile(16, @outer, @inner)) { out[i - first] = i; }
    }";
    let kernel = build(device, source)?;
    let first = 1i64 << 40;
    let mut out = device.malloc_filled(50, 0i64)?;
    kernel.launch(args![first, first + 50, &mut out])?;
    check::same("out", &out.to_vec()?, &(first..first + 50).collect::<Vec<_>>())
}

fn max_inner_dims(device: &Device) -> Outcome {
    let source = "@kernel @max_inner_dims(16) void test(const int size, int *out) {
        for (int o = 0; o < 2; ++o; @outer) { for (int i = 0; i < size; ++i; @inner) { out[o * size + i] = i; } }
    }";
    let kernel = build(device, source)?;
    let mut out = device.malloc_filled(40, -1i32)?;
    kernel.launch(args![16, &mut out])?;
    check::same("out", &out.to_vec()?[..32], &(0..32).map(|k| k % 16).collect::<Vec<_>>())?;
    check::refused("a group above @max_inner_dims", kernel.launch(args![17, &mut out]), &["test", "17", "16"])
}

fn inner_depends_on_outer(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; ++o; @outer) { for (int i = 4 * o + 1; i <= 4 * o + 4; ++i; @inner) { out[i - 1] = in[o] + i; } }
    }";
    let expected: Vec<i32> = (1..=12).map(|i| 100 * ((i - 1) / 4) + i).collect();
    check::same("out", &integers(device, source, &[0, 100, 200], 12)?, &expected)
}

fn many_groups(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *out) {
        for (int o = 0; o < n; ++o; @outer) { for (int i = 0; i < 4; ++i; @inner) { out[4 * o + i] = o; } }
    }";
    let kernel = build(device, source)?;
    let groups = 200_003;
    let mut out = device.malloc_filled(4 * groups, -1i32)?;
    kernel.launch(args![groups, &mut out])?;
    check::that(out.to_vec()?.iter().enumerate().all(|(k, &o)| o == k as i32 / 4), "a group is missing")
}

fn statements_between_loops(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int y = 0; y < 2; ++y; @outer(1)) {
            const int row = y * n;
            for (int x = 0; x < n; ++x; @outer(0)) {
                const int base = in[x];
                for (int j = 0; j < 2; ++j; @inner(1)) {
                    const int shift = 10 * j;
                    for (int i = 0; i < 3; ++i; @inner(0)) { out[((row + x) * 2 + j) * 3 + i] = base + shift + i; }
                }
            }
        }
    }";
    let expected: Vec<i32> = (0..36).map(|k| (k / 6 % 3 + 1) * 1000 + 10 * (k / 3 % 2) + k % 3).collect();
    check::same("out", &integers(device, source, &[1000, 2000, 3000], 36)?, &expected)
}

fn regions_of_different_sizes(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; ++o; @outer) {
            @shared int s[10];
            for (int i = 0; i < 10; ++i; @inner) { s[i] = in[o] * i; }
            for (int i = 0; i < 5; ++i; @inner) { out[o * 5 + i] = s[i] + s[9 - i]; }
        }
    }";
    let expected: Vec<i32> = (0..15).map(|k| (k / 5 + 1) * 9).collect();
    check::same("out", &integers(device, source, &[1, 2, 3], 15)?, &expected)
}

/// So many groups that a backend may run several side by side; 70,001 is odd, and more than most devices take along an
/// axis other than the first.
fn many_groups_that_move_data(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int g = 0; g < (n - 2) / 3; ++g; @outer) { for (int j = 0; j < 3; ++j; @inner) {
            const int i = 3 * g + j + 1;
            out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
            if (i == 1) { out[0] = in[i]; }
            if (i == n - 2) { out[n - 1] = in[i]; }
        } }
    }";
    for n in [3 * 70_001 + 2, 3 * 70_000 + 2, 3 * 4_097 + 2] {
        let input: Vec<i32> = (0..n).map(|i| (i % 1_000) * (i % 1_000)).collect();
        let mut expected = vec![input[1]];
        expected.extend(input.windows(3).map(|w| w[0] - 2 * w[1] + w[2]));
        expected.extend([input[n as usize - 2], -1, -1, -1]);
        check::same("out", &integers(device, source, &input, n as usize + 3)?, &expected)?;
    }
    Ok(())
}

fn many_groups_that_move_data_in_two_dimensions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int nx, const int ny, const int *in, int *out) {
        for (int y = 0; y < ny; ++y; @tile(2, @outer(1), @inner(1))) { for (int x = 0; x < nx; ++x; @tile(4, @outer(0), @inner(0))) {
            out[y * nx + x] = in[y * nx + x] + in[x * ny + y];
        } }
    }";
    let kernel = build(device, source)?;
    for (nx, ny) in [(1_021, 27), (5, 8_191), (2_999, 8)] {
        let input: Vec<i32> = (0..nx * ny).map(|i| i * 7 % 10_007).collect();
        let memory = device.malloc_from(&input)?;
        let mut out = device.malloc_filled(input.len() + 3, -1i32)?;
        kernel.launch(args![nx, ny, &memory, &mut out])?;
        let at = |x, y| input[(y * nx + x) as usize] + input[(x * ny + y) as usize];
        let mut expected: Vec<i32> = (0..ny).flat_map(|y| (0..nx).map(move |x| at(x, y))).collect();
        expected.extend([-1; 3]);
        check::same("out", &out.to_vec()?, &expected)?;
    }
    Ok(())
}

/// Builds `test(const int *times, int *out)` and runs it for four items: right results, or where the device runs fewer
/// iterations than an item asks for, an error that says so.
fn counts(device: &Device, source: &str, times: [i32; 4], iterations: u64, expected: &[i32]) -> Outcome {
    // Others wait for the device meanwhile, and would be told.
    let device = alone(device)?;
    let kernel = device.build_kernel_from_string(source, "test", "")?;
    let memory = device.malloc_from(&times)?;
    let mut out = device.malloc_filled(expected.len(), 0)?;
    let ran = kernel.launch(args![&memory, &mut out]).and_then(|()| device.finish());
    if device.capabilities().max_loop_iterations.is_some_and(|most| most < iterations) {
        check::refused("iterations beyond the driver's", ran, &["kernel `test`", "iterations"])?;
        return Ok(device.finish()?);
    }
    ran?;
    check::same("counts", &out.to_vec()?, expected)
}

/// Items that loop for different lengths, more than 65,535 times, one by one and together.
fn long_loops(device: &Device) -> Outcome {
    let source = "@kernel void test(const int *times, int *out) {
        for (int i = 0; i < 4; ++i; @tile(16, @outer, @inner)) {
            int sum = 0;
            for (int k = 0; k < times[i]; ++k) { sum += (k ^ i) & 1; }
            int steps = 0;
            int left = times[i];
            while (left > 0) { left -= 1 + (left & 1); ++steps; }
            out[2 * i] = sum;
            out[2 * i + 1] = steps;
        }
    }";
    let expected = |times: [i32; 4]| {
        let of = |(i, times): (i32, i32)| {
            let sum = (0..times).map(|k| (k ^ i) & 1).sum::<i32>();
            let (mut left, mut steps) = (times, 0);
            while left > 0 {
                left -= 1 + (left & 1);
                steps += 1;
            }
            [sum, steps]
        };
        (0i32..).zip(times).flat_map(of).collect::<Vec<_>>()
    };
    for (times, iterations) in [
        ([70_000, 3, 65_536, 200_001], 300_000),
        ([7, 43_000, 3, 0], 43_000 + 21_500),
        ([7, 43_800, 3, 0], 43_800 + 21_900),
        ([3, 70_000, 0, 5], 70_000 + 35_000),
    ] {
        counts(device, source, times, iterations, &expected(times))?;
    }
    Ok(())
}

fn many_short_loops(device: &Device) -> Outcome {
    let source = "@kernel void test(const int *times, int *out) {
        for (int i = 0; i < 4; ++i; @tile(4, @outer, @inner)) {
            int sum = 0;
            for (int k = 0; k < times[i]; ++k) {
                for (int j = 0; j < (k & 15); ++j) {
                    if (j == 9) continue;
                    sum += j;
                }
                do { ++sum; } while (sum % 3 != 0);
            }
            out[i] = sum;
        }
    }";
    let of = |times: i32| {
        let mut sum = 0;
        for k in 0..times {
            sum += (0..k & 15).filter(|j| *j != 9).sum::<i32>();
            sum = sum / 3 * 3 + 3;
        }
        sum
    };
    for (times, iterations) in [([6_000, 1, 0, 5_999], 6_000 * 11), ([4_000, 16, 0, 77], 4_000 * 11)] {
        counts(device, source, times, iterations, &times.map(of))?;
    }
    Ok(())
}

fn long_loops_of_a_function(device: &Device) -> Outcome {
    let source = "int odd(const int *times, const int i) {
        int sum = 0;
        for (int k = 0; k < times[i]; ++k) {
            if (k == 150000) return -sum;
            sum += k & 1;
        }
        return sum;
    }
    @kernel void test(const int *times, int *out) {
        for (int i = 0; i < 4; ++i; @tile(2, @outer, @inner)) { out[i] = odd(times, i); }
    }";
    let expected = |times: i32| if times > 150_000 { -75_000 } else { times / 2 };
    for times in [[200_000, 0, 0, 1], [0, 1, 2, 65_000], [100_000, 0, 150_001, 9]] {
        let iterations = times.into_iter().max().unwrap_or(0) as u64;
        counts(device, source, times, iterations, &times.map(expected))?;
    }
    Ok(())
}

fn long_loops_of_items_that_end(device: &Device) -> Outcome {
    let source = "@kernel void test(const int *times, int *out) {
        for (int o = 0; o < 1; ++o; @outer) {
            @shared int most[4];
            for (int i = 0; i < 4; ++i; @inner) {
                int k = 0;
                while (k < times[i]) { ++k; }
                most[i] = k;
            }
            for (int i = 0; i < 4; ++i; @inner) {
                out[i] = most[3 - i];
                for (int k = 0; k < 80000; ++k) {
                    if (times[i] < 70000) return;
                    if ((k ^ times[i]) == 79999) { out[i] += k; return; }
                }
                out[i] = -1;
            }
        }
    }";
    let expected = |times: [i32; 4]| {
        let of = |(i, own): (usize, i32)| match own {
            ..70_000 => times[3 - i],
            _ => (0..80_000).find(|k| k ^ own == 79_999).map_or(-1, |k| times[3 - i] + k),
        };
        times.into_iter().enumerate().map(of).collect::<Vec<_>>()
    };
    for (times, iterations) in
        [([5, 0, 65_000, 1], 65_000), ([5, 0, 66_000, 1], 66_000), ([70_001, 70_000, 9, 80_000], 150_000)]
    {
        counts(device, source, times, iterations, &expected(times))?;
    }
    Ok(())
}

fn long_loops_of_groups(device: &Device) -> Outcome {
    let source = "@kernel void test(const int *times, int *out) {
        for (int o = 0; o < 2; ++o; @outer) {
            int sum = 0;
            for (int k = 0; k < times[o]; ++k) { sum += k & 3; }
            for (int i = 0; i < 3; ++i; @inner) { out[3 * o + i] = sum + i; }
        }
    }";
    for times in [[50_000, 7, 0, 0], [3, 90_000, 0, 0]] {
        let expected = |at: i32| (0..times[at as usize / 3]).map(|k| k & 3).sum::<i32>() + at % 3;
        let expected: Vec<i32> = (0..6).map(expected).collect();
        counts(device, source, times, times.into_iter().max().unwrap_or(0) as u64, &expected)?;
    }
    Ok(())
}

/// Items that share out memory by rows of their group: rows that all items have, that some have, none; several of them in
/// a row where a processor takes four at once.
fn strided_by_groups(device: &Device) -> Outcome {
    let source =
        "@kernel void test(const int first, const int n, const int groups, const double *in, double *sums, int *out) {
        for (int g = 0; g < groups; ++g; @outer) { for (int t = 0; t < 16; ++t; @inner) {
            double sum = 0;
            for (int i = first + 16 * g + t; i < n; i += 16 * groups) { sum = 0.5 * sum + in[i]; out[i] = 2 * i; }
            int i = first + 16 * g + t;
            while (i <= n - 2) { sum = 0.25 * sum - in[i + 1]; i += 16 * groups; }
            sums[16 * g + t] = sum;
        } }
    }";
    let kernel = build(device, source)?;
    let input: Vec<f64> = (0..1000).map(|i| f64::from(i % 37) + 1.0).collect();
    let memory = device.malloc_from(&input)?;
    for (first, n, groups) in [
        (0, 1000, 1),
        (0, 1000, 3),
        (5, 997, 2),
        (0, 65, 1),
        (0, 64, 1),
        (0, 63, 1),
        (3, 130, 2),
        (990, 1000, 2),
        (9, 2, 1),
    ] {
        let items = 16 * groups as usize;
        let (mut sums, mut out) = (device.malloc_filled(items, -1.0)?, device.malloc_filled(1000, -1i32)?);
        kernel.launch(args![first, n, groups, &memory, &mut sums, &mut out])?;
        let rows = |item: usize, end: i32| ((first + item as i32)..end).step_by(items);
        let sum_of = |item| {
            let sum = rows(item, n).fold(0.0, |sum, i| 0.5 * sum + input[i as usize]);
            rows(item, n - 1).fold(sum, |sum, i| 0.25 * sum - input[i as usize + 1])
        };
        check::same("sums", &sums.to_vec()?, &(0..items).map(sum_of).collect::<Vec<_>>())?;
        let expected: Vec<i32> = (0..1000).map(|i| if (first..n).contains(&i) { 2 * i } else { -1 }).collect();
        check::same("out", &out.to_vec()?, &expected)?;
    }
    Ok(())
}

/// The same where a few more rows would leave the type of what counts them.
fn strided_up_to_the_last_number(device: &Device) -> Outcome {
    let source = "@kernel void test(const int first, const int n, const int step, const int *in, int *sums) {
        for (int g = 0; g < 1; ++g; @outer) { for (int t = 0; t < 16; ++t; @inner) {
            int sum = 0;
            for (int i = first + t; i < n; i += step) { sum = 3 * sum % 1000 + in[i - first]; }
            sums[t] = sum;
        } }
    }";
    let kernel = build(device, source)?;
    let input: Vec<i32> = (0..3000).map(|i| i % 91).collect();
    let memory = device.malloc_from(&input)?;
    let last = i32::MAX;
    for (first, n, step) in [
        (last - 2900, last - 500, 500),
        (last - 2900, last - 499, 499),
        (-1500, 1000, 16),
        (-1500, -3, 700),
        (last - 40, last - 3, 3),
    ] {
        let mut sums = device.malloc_filled(16, -1i32)?;
        kernel.launch(args![first, n, step, &memory, &mut sums])?;
        let sum_of = |item: i32| {
            let rows = (i64::from(first) + i64::from(item)..i64::from(n)).step_by(step as usize);
            rows.fold(0, |sum, i| 3 * sum % 1000 + input[(i - i64::from(first)) as usize])
        };
        check::same("sums", &sums.to_vec()?, &(0..16).map(sum_of).collect::<Vec<_>>())?;
    }
    Ok(())
}
