//! Subgroup functions: what lanes give each other, for every width and type, beside rows, barriers and loops.

use super::{build, integers};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Element, args};

cases!["subgroups"; shuffles, sums_and_extremes, ballots, longs: I64, floats, doubles: F64, rows, rows_of_odd_length, smaller_regions, loops, barriers, ranks];

const GROUPS: usize = 5;
const ITEMS: usize = 96;
const WIDTHS: [usize; 3] = [2, 8, 32];

fn input() -> Vec<i32> {
    (0..GROUPS * ITEMS).map(|i| (i * 7919 + 13) as i32 % 1009 - 400).collect()
}

/// A kernel whose items `i` of groups of 96 run `body`.
fn each(ty: &str, body: &str) -> String {
    format!(
        "@kernel void test(const int n, const {ty} *in, {ty} *out) {{
  for (int o = 0; o < n; o += {ITEMS}; @outer) {{
    for (int i = o; i < o + {ITEMS}; ++i; @inner) {{ {body} }}
  }}
}}"
    )
}

/// Runs such a body and compares with what `expected` makes of the values of each subgroup and a lane.
fn lanes(device: &Device, width: usize, body: &str, expected: impl Fn(&[i32], usize) -> i32) -> Outcome {
    let input = input();
    let out = integers(device, &each("int", &body.replace("WIDTH", &width.to_string())), &input, input.len())?;
    let subgroups = input.chunks(width);
    let expected: Vec<i32> = subgroups.flat_map(|of| (0..width).map(|lane| expected(of, lane))).collect();
    check::same(body, &out, &expected)
}

fn shuffles(device: &Device) -> Outcome {
    for width in WIDTHS {
        lanes(device, width, "out[i] = subgroup_shuffle(in[i], in[i], WIDTH);", |of, lane| {
            of[of[lane].rem_euclid(width as i32) as usize]
        })?;
        lanes(device, width, "out[i] = subgroup_shuffle_xor(in[i], 1, WIDTH);", |of, lane| of[lane ^ 1])?;
        lanes(device, width, "out[i] = subgroup_shuffle_up(in[i], 3, WIDTH);", |of, lane| {
            of[lane.checked_sub(3).unwrap_or(lane)]
        })?;
        lanes(device, width, "out[i] = subgroup_shuffle_down(in[i], 1, WIDTH) + subgroup_lane(WIDTH);", |of, lane| {
            of[if lane + 1 < width { lane + 1 } else { lane }] + lane as i32
        })?;
    }
    Ok(())
}

fn sums_and_extremes(device: &Device) -> Outcome {
    for width in WIDTHS {
        lanes(device, width, "out[i] = subgroup_sum(in[i], WIDTH);", |of, _| of.iter().sum())?;
        lanes(device, width, "out[i] = subgroup_min(in[i], WIDTH) + 2000 * subgroup_max(in[i], WIDTH);", |of, _| {
            of.iter().min().unwrap_or(&0) + 2000 * of.iter().max().unwrap_or(&0)
        })?;
    }
    Ok(())
}

fn ballots(device: &Device) -> Outcome {
    for width in WIDTHS {
        let word = |of: &[i32]| of.iter().enumerate().map(|(lane, &x)| i32::from(x % 3 == 0) << lane).sum::<i32>();
        lanes(device, width, "out[i] = (int)subgroup_ballot(in[i] % 3 == 0, WIDTH);", |of, _| {
            of.iter().enumerate().fold(0_u32, |word, (lane, &x)| word | u32::from(x % 3 == 0) << lane) as i32
        })?;
        lanes(
            device,
            width,
            "out[i] = subgroup_any(in[i] > 590, WIDTH) + 2 * subgroup_all(in[i] > -300, WIDTH);",
            |of, _| i32::from(of.iter().any(|&x| x > 590)) + 2 * i32::from(of.iter().all(|&x| x > -300)),
        )?;
        // Two of them, one behind the other, through the same word.
        lanes(
            device,
            width.min(16),
            "out[i] = (int)(subgroup_ballot(in[i] % 3 == 0, WIDTH) + subgroup_ballot(in[i] % 3 != 0, WIDTH));",
            |of, _| word(of) + ((1 << of.len()) - 1 - word(of)),
        )?;
    }
    Ok(())
}

/// Sums of 16 lanes and the value of another lane, in a type of its own.
fn typed<T: Element + PartialEq + std::fmt::Debug>(
    device: &Device,
    ty: &str,
    of: impl Fn(i32) -> T,
    add: impl Fn(T, T) -> T + Copy,
) -> Outcome {
    let input: Vec<T> = input().into_iter().map(of).collect();
    let from = device.malloc_from(&input)?;
    let mut out = device.malloc_from(&input)?;
    let body = "out[i] = subgroup_sum(in[i], 16); if (subgroup_lane(16) > 11) out[i] = in[i];
      const TYPE other = subgroup_shuffle(out[i], 15, 16); if (subgroup_lane(16) == 1) out[i] = other;";
    let kernel = build(device, &each(ty, &body.replace("TYPE", ty)))?;
    kernel.launch(args![input.len(), &from, &mut out])?;
    let expected = input.chunks(16).flat_map(|of| {
        let mut parts = of.to_vec();
        while parts.len() > 1 {
            let half = parts.len() / 2;
            parts = (0..half).map(|lane| add(parts[lane], parts[lane + half])).collect();
        }
        (0..16).map(move |lane| match lane {
            1 => of[15],
            12.. => of[lane],
            _ => parts[0],
        })
    });
    check::same(ty, &out.to_vec()?, &expected.collect::<Vec<T>>())
}

fn longs(device: &Device) -> Outcome {
    typed(device, "long", |x| i64::from(x) << 33, |a, b| a + b)?;
    typed(device, "unsigned long", |x| (x as u64) << 31, u64::wrapping_add)
}

fn floats(device: &Device) -> Outcome {
    // No sum is exact: the order of the additions shows.
    typed(device, "float", |x| x as f32 / 7.0, |a, b| a + b)
}

fn doubles(device: &Device) -> Outcome {
    typed(device, "double", |x| f64::from(x) / 7.0, |a, b| a + b)
}

/// Sums of 4 lanes in groups of several rows.
fn row_sums(device: &Device, row: usize, count: usize) -> Outcome {
    let input = input();
    let n = input.len() / (row * count);
    let source = format!(
        "@kernel void test(const int n, const int *in, int *out) {{
  for (int o = 0; o < {n}; ++o; @outer) {{
    for (int j = 0; j < {count}; ++j; @inner(1)) {{
      for (int i = 0; i < {row}; ++i; @inner(0)) {{
        const int at = (o * {count} + j) * {row} + i;
        out[at] = subgroup_sum(in[at], 4) + (int)subgroup_ballot(in[at] > 0, 4);
      }}
    }}
  }}
}}"
    );
    let out = integers(device, &source, &input, n * row * count)?;
    let expected = input[..n * row * count].chunks(4).flat_map(|of| {
        let votes: i32 = of.iter().enumerate().map(|(lane, &x)| i32::from(x > 0) << lane).sum();
        [of.iter().sum::<i32>() + votes; 4]
    });
    check::same("out", &out, &expected.collect::<Vec<_>>())
}

fn rows(device: &Device) -> Outcome {
    row_sums(device, 16, 3)
}

fn rows_of_odd_length(device: &Device) -> Outcome {
    // Where a second row begins in the middle of 32 threads.
    row_sums(device, 12, 5)
}

fn smaller_regions(device: &Device) -> Outcome {
    let input = input();
    let source = format!(
        "@kernel void test(const int n, const int *in, int *out) {{
  for (int o = 0; o < n; o += {ITEMS}; @outer) {{
    for (int i = o; i < o + {ITEMS}; ++i; @inner) {{ out[i] = 0; }}
    for (int i = o; i < o + 48; ++i; @inner) {{ out[i] = subgroup_sum(in[i], 16); }}
    for (int i = o + 48; i < o + 56; ++i; @inner) {{ out[i] = (int)subgroup_ballot(in[i] > 0, 8); }}
  }}
}}"
    );
    let out = integers(device, &source, &input, input.len())?;
    let expected = input.chunks(ITEMS).flat_map(|of| {
        let sums = of[..48].chunks(16).flat_map(|of| [of.iter().sum::<i32>(); 16]);
        let votes: i32 = of[48..56].iter().enumerate().map(|(lane, &x)| i32::from(x > 0) << lane).sum();
        sums.chain([votes; 8]).chain([0; ITEMS - 56]).collect::<Vec<_>>()
    });
    check::same("out", &out, &expected.collect::<Vec<_>>())
}

fn loops(device: &Device) -> Outcome {
    // An inclusive scan, whose number of steps the launch decides.
    let body = "int sum = in[i];
      for (int apart = 1; apart < n / 15; apart *= 2) {
        const int other = subgroup_shuffle_up(sum, apart, 32);
        if (subgroup_lane(32) >= apart) sum += other;
      }
      out[i] = sum;";
    lanes(device, 32, body, |of, lane| of[..=lane].iter().sum())
}

fn barriers(device: &Device) -> Outcome {
    let input = input();
    let source = format!(
        "@kernel void test(const int n, const int *in, int *out) {{
  for (int o = 0; o < n; o += {ITEMS}; @outer) {{
    @shared int turned[{ITEMS}];
    for (int i = 0; i < {ITEMS}; ++i; @inner) {{
      turned[{ITEMS} - 1 - i] = in[o + i];
      for (int k = 0; k < 3; ++k) {{
        @barrier;
        const int sum = subgroup_sum(turned[i], 8);
        const int far = turned[(i + 40) % {ITEMS}];
        @barrier;
        turned[{ITEMS} - 1 - i] = sum % 1000 + far;
      }}
      @barrier;
      out[o + i] = turned[i];
    }}
  }}
}}"
    );
    let out = integers(device, &source, &input, input.len())?;
    let expected = input.chunks(ITEMS).flat_map(|of| {
        let mut turned: Vec<i32> = of.iter().rev().copied().collect();
        for _ in 0..3 {
            let sum = |i: usize| turned[i / 8 * 8..][..8].iter().sum::<i32>();
            turned = (0..ITEMS).rev().map(|i| sum(i) % 1000 + turned[(i + 40) % ITEMS]).collect();
        }
        turned
    });
    check::same("out", &out, &expected.collect::<Vec<_>>())
}

fn ranks(device: &Device) -> Outcome {
    // How many lanes before have the same digit, and a place for each from a counter of the group.
    let input = input();
    let source = format!(
        "@kernel void test(const int n, const int *in, int *out) {{
  for (int o = 0; o < n; o += {ITEMS}; @outer) {{
    @shared int found[3 * 4];
    for (int i = 0; i < {ITEMS}; ++i; @inner) {{
      if (i < 12) found[i] = 0;
      @barrier;
      const int digit = in[o + i] & 3;
      unsigned int peers = 0xffffffffu;
      for (int bit = 0; bit < 2; ++bit) {{
        const bool is_set = (digit >> bit & 1) != 0;
        const unsigned int votes = subgroup_ballot(is_set, 32);
        peers &= is_set ? votes : ~votes;
      }}
      const unsigned int before = peers & ((1u << (i % 32)) - 1u);
      int first = 0;
      if (before == 0u) first = atomic_add(&found[i / 32 * 4 + digit], popcount(peers));
      const int rank = subgroup_shuffle(first, ctz(peers), 32) + popcount(before);
      @barrier;
      out[o + i] = rank + 100 * found[i / 32 * 4 + digit];
    }}
  }}
}}"
    );
    let out = integers(device, &source, &input, input.len())?;
    let expected = input.chunks(32).flat_map(|of| {
        let same = |lane: usize| of.iter().map(move |&x| i32::from(x & 3 == of[lane] & 3));
        (0..32).map(|lane| same(lane).take(lane).sum::<i32>() + 100 * same(lane).sum::<i32>()).collect::<Vec<_>>()
    });
    check::same("out", &out, &expected.collect::<Vec<_>>())
}
