//! `@shared`, `@exclusive`, barriers and local arrays.

use super::{build, integers, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["storage";
    shared_reverse, shared_two_dimensions, shared_tree_reduction, exclusive_scalar, exclusive_array, exclusive_initialiser,
    explicit_barrier_splits, barrier_in_a_uniform_loop, group_loop_around_regions, local_array, local_array_of_two_dimensions,
    return_leaves_all_later_regions, continue_leaves_one_region, global_memory_between_regions, group_level_read,
];

fn shared_reverse(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            @shared int tile[8];
            for (int i = 0; i < 8; ++i; @inner) { tile[i] = in[o + i]; }
            for (int i = 0; i < 8; ++i; @inner) { out[o + i] = tile[7 - i]; }
        }
    }";
    let input: Vec<i32> = (0..32).collect();
    let expected: Vec<i32> = (0..32).map(|i| i / 8 * 8 + 7 - i % 8).collect();
    check::same("out", &integers(device, source, &input, 32)?, &expected)
}

fn shared_two_dimensions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n / 16; ++o; @outer) {
            @shared int tile[4][5];
            for (int j = 0; j < 4; ++j; @inner(1)) { for (int i = 0; i < 4; ++i; @inner(0)) { tile[j][i] = in[16 * o + 4 * j + i]; } }
            for (int j = 0; j < 4; ++j; @inner(1)) { for (int i = 0; i < 4; ++i; @inner(0)) { out[16 * o + 4 * j + i] = tile[i][j]; } }
        }
    }";
    let input: Vec<i32> = (0..48).collect();
    let expected: Vec<i32> = (0..48).map(|k| k / 16 * 16 + 4 * (k % 4) + k / 4 % 4).collect();
    check::same("out", &integers(device, source, &input, 48)?, &expected)
}

fn shared_tree_reduction(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < (n + 63) / 64; ++o; @outer) {
            @shared int s[64];
            for (int i = 0; i < 64; ++i; @inner) { const int k = 64 * o + i; s[i] = (k < n) ? in[k] : 0; }
            for (int half = 32; half > 0; half /= 2) {
                for (int i = 0; i < 64; ++i; @inner) { if (i < half) { s[i] += s[i + half]; } }
            }
            for (int i = 0; i < 64; ++i; @inner) { if (i == 0) { out[o] = s[0]; } }
        }
    }";
    let input: Vec<i32> = (0..1000).map(|i| i * 7 % 113).collect();
    let expected: Vec<i32> = input.chunks(64).map(|c| c.iter().sum()).collect();
    check::same("out", &integers(device, source, &input, 16)?, &expected)
}

fn exclusive_scalar(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            @exclusive int mine;
            @shared int tile[8];
            for (int i = 0; i < 8; ++i; @inner) { mine = in[o + i]; tile[i] = mine; }
            for (int i = 0; i < 8; ++i; @inner) { mine += tile[(i + 1) % 8]; }
            for (int i = 0; i < 8; ++i; @inner) { out[o + i] = mine; }
        }
    }";
    let input: Vec<i32> = (0..16).collect();
    let expected: Vec<i32> = (0..16).map(|i| i + i / 8 * 8 + (i + 1) % 8).collect();
    check::same("out", &integers(device, source, &input, 16)?, &expected)
}

fn exclusive_array(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 4; @outer) {
            @exclusive int r[3][2];
            for (int i = 0; i < 4; ++i; @inner) { for (int k = 0; k < 6; ++k) { r[k / 2][k % 2] = in[o + i] * k; } }
            for (int i = 0; i < 4; ++i; @inner) { out[o + i] = r[2][1] - r[0][1] + r[1][0]; }
        }
    }";
    let expected: Vec<i32> = (0..8).map(|i| i * 6).collect();
    check::same("out", &integers(device, source, &(0..8).collect::<Vec<_>>(), 8)?, &expected)
}

fn exclusive_initialiser(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 4; @outer) {
            @exclusive int sum = 5, steps[2] = {1, 2};
            for (int i = 0; i < 4; ++i; @inner) { sum += in[o + i] * steps[1]; steps[0] += i; }
            for (int i = 0; i < 4; ++i; @inner) { out[o + i] = sum * 10 + steps[0]; }
        }
    }";
    let expected: Vec<i32> = (0..8).map(|i| (5 + 2 * i) * 10 + 1 + i % 4).collect();
    check::same("out", &integers(device, source, &(0..8).collect::<Vec<_>>(), 8)?, &expected)
}

fn explicit_barrier_splits(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            @shared int tile[8];
            for (int i = 0; i < 8; ++i; @inner) {
                const int kept = 100 * i;
                tile[i] = in[o + i];
                @barrier;
                out[o + i] = kept + tile[7 - i];
            }
        }
    }";
    let expected: Vec<i32> = (0..16).map(|k| 100 * (k % 8) + k / 8 * 8 + 7 - k % 8).collect();
    check::same("out", &integers(device, source, &(0..16).collect::<Vec<_>>(), 16)?, &expected)
}

fn barrier_in_a_uniform_loop(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            @shared int tile[8];
            for (int i = 0; i < 8; ++i; @inner) {
                int sum = 0;
                for (int k = 0; k < 3; ++k) {
                    tile[i] = in[o + i] + k;
                    @barrier;
                    sum += tile[(i + k + 1) % 8];
                    @barrier;
                }
                out[o + i] = sum;
            }
        }
    }";
    let expected: Vec<i32> = (0..16).map(|x| (0..3).map(|k| x / 8 * 8 + (x + k + 1) % 8 + k).sum()).collect();
    check::same("out", &integers(device, source, &(0..16).collect::<Vec<_>>(), 16)?, &expected)
}

fn group_loop_around_regions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 4; @outer) {
            @shared int s[4];
            for (int i = 0; i < 4; ++i; @inner) { s[i] = in[o + i]; }
            for (int iteration = 0; iteration < 5; ++iteration) {
                @exclusive int next;
                for (int i = 0; i < 4; ++i; @inner) { next = s[(i + 1) % 4] + iteration; }
                for (int i = 0; i < 4; ++i; @inner) { s[i] = next; }
            }
            for (int i = 0; i < 4; ++i; @inner) { out[o + i] = s[i]; }
        }
    }";
    let expected: Vec<i32> = (0..8).map(|x| x / 4 * 4 + (x + 5) % 4 + 10).collect();
    check::same("out", &integers(device, source, &(0..8).collect::<Vec<_>>(), 8)?, &expected)
}

fn local_array(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "int a[4] = {1, 2}; for (int k = 0; k < 4; ++k) { a[k] += in[i] * k; } out[i] = a[0] + 10 * a[1] + 100 * a[3];",
        |x| 1 + 10 * (2 + x) + 100 * (3 * x),
    )
}

fn local_array_of_two_dimensions(device: &Device) -> Outcome {
    let body = "int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; a[1][2] = in[i]; int sum = 0;
        for (int j = 0; j < 2; ++j) { for (int k = 0; k < 3; ++k) { sum = 2 * sum + a[j][k]; } } out[i] = sum;";
    maps(device, "", body, |x| [1, 2, 3, 4, 5, x].iter().fold(0, |sum, a| 2 * sum + a))
}

fn return_leaves_all_later_regions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            for (int i = 0; i < 8; ++i; @inner) { if (in[o + i] % 3 == 0) { return; } out[o + i] = 1; }
            for (int i = 0; i < 8; ++i; @inner) { for (int k = 0; k < 4; ++k) { if (in[o + i] % 5 == k) { return; } } out[o + i] += 10; }
            for (int i = 0; i < 8; ++i; @inner) { out[o + i] += 100; }
        }
    }";
    let expected: Vec<i32> = (0..32)
        .map(|x| {
            if x % 3 == 0 {
                -1
            } else if x % 5 < 4 {
                1
            } else {
                111
            }
        })
        .collect();
    check::same("out", &integers(device, source, &(0..32).collect::<Vec<_>>(), 32)?, &expected)
}

fn continue_leaves_one_region(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            for (int i = 0; i < 8; ++i; @inner) { out[o + i] = 0; if (in[o + i] % 2 == 0) { continue; } out[o + i] = 1; }
            for (int i = 0; i < 8; ++i; @inner) { out[o + i] += 10; }
        }
    }";
    let expected: Vec<i32> = (0..16).map(|x| 10 + x % 2).collect();
    check::same("out", &integers(device, source, &(0..16).collect::<Vec<_>>(), 16)?, &expected)
}

fn global_memory_between_regions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            for (int i = 0; i < 8; ++i; @inner) { out[o + i] = in[o + i]; }
            for (int i = 0; i < 8; ++i; @inner) { if (i < 4) { out[o + i] += 1000 * out[o + 7 - i]; } }
        }
    }";
    let expected: Vec<i32> = (0..16).map(|x| if x % 8 < 4 { x + 1000 * (x / 8 * 8 + 7 - x % 8) } else { x }).collect();
    check::same("out", &integers(device, source, &(0..16).collect::<Vec<_>>(), 16)?, &expected)
}

fn group_level_read(device: &Device) -> Outcome {
    let source = "@kernel void test(const int groups, const int *starts, int *out) {
        for (int o = 0; o < groups; ++o; @outer) {
            const int begin = starts[o];
            const int count = starts[o + 1] - begin;
            if (count > 0) {
                for (int i = 0; i < 8; ++i; @inner) { for (int k = i; k < count; k += 8) { out[begin + k] = 100 * o + k; } }
            }
        }
    }";
    let kernel = build(device, source)?;
    let starts = [0, 3, 3, 20, 21];
    let memory = device.malloc_from(&starts)?;
    let mut out = device.malloc_filled(21, -1i32)?;
    kernel.launch(args![4, &memory, &mut out])?;
    let mut expected = Vec::new();
    for o in 0..4 {
        expected.extend((0..starts[o + 1] - starts[o]).map(|k| 100 * o as i32 + k));
    }
    check::same("out", &out.to_vec()?, &expected)
}
