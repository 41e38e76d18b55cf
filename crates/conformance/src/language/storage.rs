//! `@shared`, `@exclusive`, barriers and local arrays.

use super::{build, integers, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["storage";
    shared_reverse, shared_sized_at_launch, shared_two_dimensions, shared_tree_reduction, shared_flags, exclusive_scalar, exclusive_array, exclusive_initialiser,
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

fn shared_sized_at_launch(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int columns, const int first, const int *in, int *out) {
        for (int o = 0; o < n; o += 8; @outer) {
            @shared int s[2 * n + 1];
            @shared int tile[n / 4][columns];
            for (int i = 0; i < 8; ++i; @inner) {
                for (int k = i; k < 2 * n + 1; k += 8) { s[k] = k; }
                for (int k = 0; k < columns; ++k) { if (i < n / 4) { tile[i][k] = in[o + i] * k; } }
            }
            for (int i = 0; i < 8; ++i; @inner) {
                out[o + i] = s[2 * n - o - i] + tile[i % (n / 4)][columns - 1] + s[first];
            }
        }
    }";
    let kernel = build(device, source)?;
    let input: Vec<i32> = (0..32).collect();
    let memory = device.malloc_from(&input)?;
    let mut out = device.malloc::<i32>(32)?;
    let expected = |n: i32, columns: i32| -> Vec<i32> {
        (0..n).map(|i| 2 * n - i + (i / 8 * 8 + i % 8 % (n / 4)) * (columns - 1) + 5).collect()
    };
    // One of them twice: the second time nothing is built.
    for (n, columns) in [(32, 3), (8, 1), (16, 4), (32, 3)] {
        kernel.launch(args![n, columns, 5, &memory, &mut out])?;
        check::same("out", &out.slice(..n as usize)?.to_vec()?, &expected(n, columns))?;
    }
    let mut graph = device.record(|r| {
        r.launch(&kernel, args![8, 2, 5, &memory, &mut out])?;
        r.launch(&kernel, args![16, 2, 5, &memory, &mut out])?;
        Ok(())
    })?;
    graph.replay(2)?;
    check::same("out of a graph", &out.slice(..16)?.to_vec()?, &expected(16, 2))?;
    // Nothing is launched, whatever the sizes.
    kernel.launch(args![0, 0, 5, &memory, &mut out])?;
    let mut refuse = |what: &str, n: i32, columns: i32, first: i32, parts: &[&str]| {
        check::refused(what, kernel.launch(args![n, columns, first, &memory, &mut out]), parts)
    };
    refuse("no columns", 8, 0, 5, &["`tile`", "0 elements"])?;
    refuse("an index past the end", 8, 1, 17, &["`s`", "17"])?;
    let limit = device.backend().capabilities().max_shared_bytes;
    let columns = limit as i32 / 8;
    let bytes = 4 * (17 + 2 * u64::from(columns.unsigned_abs()));
    refuse("too much", 8, columns, 5, &[&format!("needs {bytes} bytes"), &format!("the device has {limit}")])
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

/// Flags that neighbours read, alone and in structs, one of them updated by all.
fn shared_flags(device: &Device) -> Outcome {
    let source = "struct mark { bool odd; int k; bool third[2]; };
    @kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n / 32; ++o; @outer) {
            @shared bool odd[32];
            @shared mark marks[32];
            @shared bool any;
            for (int i = 0; i < 32; ++i; @inner) {
                const int value = in[32 * o + i];
                odd[i] = value % 2 != 0;
                marks[i].odd = odd[i];
                marks[i].k = value;
                marks[i].third[i % 2] = value % 3 == 0;
                marks[i].third[1 - i % 2] = false;
                if (i == 0) any = value > 50;
            }
            for (int i = 0; i < 32; ++i; @inner) {
                const int next = (i + 1) % 32;
                out[32 * o + i] = (odd[next] ? 1 : 0) + (marks[next].odd ? 2 : 0) + (marks[next].third[next % 2] ? 4 : 0)
                    + (marks[next].third[i % 2] ? 8 : 0) + (any ? 16 : 0) + 32 * marks[next].k;
            }
        }
    }";
    let input: Vec<i32> = (0..128).map(|i| i * 7 % 113).collect();
    let expected = (0..128).map(|k| {
        let (value, first) = (input[k / 32 * 32 + (k + 1) % 32], input[k / 32 * 32]);
        value % 2 * 3 + i32::from(value % 3 == 0) * 4 + i32::from(first > 50) * 16 + 32 * value
    });
    check::same("out", &integers(device, source, &input, 128)?, &expected.collect::<Vec<_>>())
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
