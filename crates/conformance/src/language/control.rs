//! Conditions, loops, jumps, and side effects inside expressions.

use super::{integers, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::Device;

cases!["control";
    if_else_chain, while_loop, do_while_runs_once, break_and_continue, nested_loops, switch_with_fall_through, switch_in_a_loop,
    ternary, ternary_evaluates_one_side, short_circuit, side_effects_in_a_condition, side_effects_in_subscripts, comma, compound_assignment,
    divergent_loop, endless_for_with_break, shadowed_names, early_return,
    forward_goto, backward_goto, loops_over_registers, loops_over_registers_of_functions, loops_over_registers_and_barriers,
];

fn if_else_chain(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "if (in[i] < 0) { out[i] = -1; } else if (in[i] < 10) out[i] = 0; else if (in[i] < 20) out[i] = 1; else { out[i] = 2; }",
        |x| match x {
            ..0 => -1,
            0..10 => 0,
            10..20 => 1,
            _ => 2,
        },
    )
}

fn while_loop(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "int x = in[i], count = 0; while (x > 1) { x = (x % 2) ? 3 * x + 1 : x / 2; ++count; } out[i] = count;",
        collatz,
    )
}

fn collatz(mut x: i32) -> i32 {
    let mut count = 0;
    while x > 1 {
        x = if x % 2 != 0 { 3 * x + 1 } else { x / 2 };
        count += 1;
    }
    count
}

fn do_while_runs_once(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "int x = in[i], count = 0; do { ++count; x -= 7; if (x == 3) continue; } while (x > 0); out[i] = count;",
        |x| {
            if x <= 7 { 1 } else { (x + 6) / 7 }
        },
    )
}

fn break_and_continue(device: &Device) -> Outcome {
    let body = "int sum = 0; for (int k = 0; k < 100; ++k) { if (k % 3 == 0) continue; if (k > in[i]) break; sum += k; } out[i] = sum;";
    maps(device, "", body, |x| (0..100).filter(|k| k % 3 != 0).take_while(|k| *k <= x).sum())
}

fn nested_loops(device: &Device) -> Outcome {
    let body = "int sum = 0; for (int a = 0; a < 5; ++a) { for (int b = a; b < 5; b += 2) { if (b == 3) break; sum += a * b + in[i]; } } out[i] = sum;";
    maps(device, "", body, |x| {
        (0..5).map(|a| (a..5).step_by(2).take_while(|b| *b != 3).map(|b| a * b + x).sum::<i32>()).sum()
    })
}

fn switch_with_fall_through(device: &Device) -> Outcome {
    let body = "int r = 0; switch (in[i] % 6) { case 0: r = 1; break; case 1: case 2: r = 10; case 3: r += 5; break; default: r = 7; } out[i] = r;";
    maps(device, "", body, |x| match x % 6 {
        0 => 1,
        1 | 2 => 15,
        3 => 5,
        _ => 7,
    })
}

fn switch_in_a_loop(device: &Device) -> Outcome {
    let body = "int r = 0; for (int k = 0; k < 6; ++k) { switch ((k + i) % 3) { case 0: continue; case 1: r += 100; break; default: r += 1; } r *= 2; } out[i] = r;";
    maps(device, "", body, |x| {
        let mut r = 0;
        for k in 0..6 {
            match (k + x + 40) % 3 {
                0 => continue,
                1 => r += 100,
                _ => r += 1,
            }
            r *= 2;
        }
        r
    })
}

fn ternary(device: &Device) -> Outcome {
    maps(device, "", "out[i] = in[i] < 0 ? -in[i] : in[i] > 30 ? 30 : in[i];", |x| if x < 0 { -x } else { x.min(30) })
}

fn ternary_evaluates_one_side(device: &Device) -> Outcome {
    maps(device, "", "int a = 0, b = 0; int c = (in[i] > 0) ? a++ : --b; out[i] = 100 * a + 10 * b + c;", |x| {
        if x > 0 { 100 } else { -11 }
    })
}

fn short_circuit(device: &Device) -> Outcome {
    let body = "int a = 0; bool c = in[i] > 0 && ++a > 0; bool d = in[i] > 5 || a++ < 0; out[i] = 100 * a + 10 * c + d; if (in[i] != 0 && 100 / in[i] > 20) { out[i] += 1000; }";
    maps(device, "", body, |x| {
        let mut a = 0;
        let c = x > 0 && {
            a += 1;
            a > 0
        };
        let d = x > 5 || {
            a += 1;
            a - 1 < 0
        };
        100 * a + 10 * i32::from(c) + i32::from(d) + if x != 0 && 100 / x > 20 { 1000 } else { 0 }
    })
}

fn side_effects_in_a_condition(device: &Device) -> Outcome {
    maps(device, "", "int x = in[i], count = 0; while (x-- > 0) count++; out[i] = 100 * count + x;", |x| {
        if x > 0 { 100 * x - 1 } else { x - 1 }
    })
}

fn side_effects_in_subscripts(device: &Device) -> Outcome {
    let body = "int a[4] = {0, 0, 0, 0}; int k = 0; a[k++] = 1; a[k++] += in[i]; a[++k] = k; int y = (k = 2) + a[1]; out[i] = a[0] + 10 * a[3] + 100 * y;";
    maps(device, "", body, |x| 1 + 30 + 100 * (2 + x))
}

fn comma(device: &Device) -> Outcome {
    maps(device, "", "int a, b; for (a = 0, b = 10; a < b; a++, b--) { } out[i] = (a = in[i], a + b);", |x| x + 5)
}

fn compound_assignment(device: &Device) -> Outcome {
    let body = "int a = in[i]; a += 3; a *= 2; a -= 1; a <<= 2; a |= 1; a ^= 6; a &= 1023; a >>= 1; a %= 50; float f = 3; f /= 2; int k = 7; k *= 1.5f; out[i] = a + (int) (f * 2) + k;";
    maps(device, "", body, |x| ((((((x + 3) * 2 - 1) << 2) | 1) ^ 6) & 1023) / 2 % 50 + 3 + 10)
}

fn divergent_loop(device: &Device) -> Outcome {
    maps(device, "", "int s = 0; for (int k = 0; k < in[i]; ++k) { s += k * k; } out[i] = s;", |x| {
        (0..x).map(|k| k * k).sum()
    })
}

fn endless_for_with_break(device: &Device) -> Outcome {
    maps(device, "", "int k = 0; for (;;) { if (k * k >= in[i]) { break; } ++k; } out[i] = k;", |x| {
        (0..).find(|k| k * k >= x).unwrap_or(0)
    })
}

fn shadowed_names(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "int x = 1; { int x = in[i]; { int x = 5; out[i] = x; } out[i] += x; } out[i] += 100 * x; for (int x = 0; x < 2; ++x) { out[i] += x; }",
        |x| 5 + x + 100 + 1,
    )
}

fn early_return(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "out[i] = 0; for (int k = 0; k < 50; ++k) { if (k == in[i]) { out[i] = 1000 + k; return; } } out[i] = 5;",
        |x| {
            if (0..50).contains(&x) { 1000 + x } else { 5 }
        },
    )
}

fn forward_goto(device: &Device) -> Outcome {
    let body = "int steps = 0;
        for (int a = 1; a < 5; ++a) {
            for (int b = 1; b < 5; ++b) { switch (in[i] - a * b) { case 0: steps += 100; goto done; default: break; } ++steps; }
        }
        if (in[i] < 0) goto none;
        steps += 1000;
        done:
        out[i] = steps;
        goto end;
        none:
        out[i] = -1;
        end:;";
    let expected = |x: i32| {
        let pairs = (1..5).flat_map(|a| (1..5).map(move |b| a * b));
        match pairs.into_iter().position(|product| product == x) {
            Some(steps) => steps as i32 + 100,
            None if x < 0 => -1,
            None => 1016,
        }
    };
    maps(device, "", body, expected)
}

fn backward_goto(device: &Device) -> Outcome {
    let body = "int x = in[i], count = 0;
        if (x < 2) goto end;
        odd:
        if (x % 2 == 0) goto even;
        x = 3 * x + 1;
        ++count;
        even:
        for (int k = 0; k < 2; ++k) {
            if (x % 2) { if (x > 1) goto odd; else goto end; }
            x /= 2;
            ++count;
        }
        goto even;
        end:
        out[i] = count;";
    maps(device, "", body, collatz)
}

fn loops_over_registers(device: &Device) -> Outcome {
    let body = "int own[6];
        for (int p = 0; p < 3; ++p) {
            const int begin = p * (p + 1) / 2;
            for (int q = 0; q <= p; ++q) {
                int value = in[i];
                value += 10 * p + q;
                own[begin + q] = value;
            }
        }
        int sum = 0;
        for (int p = 5; p >= 0; --p) { sum = 2 * sum + own[p]; }
        for (int p = 6; p < 6; ++p) { sum += own[p]; }
        if (in[i] > 10) {
            for (unsigned int p = 4294967293u; p != 0u; ++p) { sum += own[p - 4294967293u]; }
        } else {
            for (unsigned char p = 250; p >= 250; p += 3) { sum -= own[p - 250]; }
        }
        for (int p = 1; p < 5; p *= 2) { sum += own[p]; }
        out[i] = sum;";
    maps(device, "", body, |x| {
        let own = [0, 10, 11, 20, 21, 22].map(|value| x + value);
        let sum = own.iter().rev().fold(0, |sum, value| 2 * sum + value);
        let few = if x > 10 { own[0] + own[1] + own[2] } else { -own[0] - own[3] };
        sum + few + own[1] + own[2] + own[4]
    })
}

fn loops_over_registers_of_functions(device: &Device) -> Outcome {
    let functions = "void scale(int *values, const int factor) { for (int p = 0; p < 4; ++p) { values[p] *= factor; } }
        int total(const int *values) {
            int squares[3];
            for (int p = 0; p < 3; ++p) { squares[p] = values[p] * values[p]; }
            int sum = 0;
            @unroll for (int p = 2; p >= 0; p -= 1) {
                const int at = 2 - p;
                sum += squares[p] * (at + 1);
            }
            return sum;
        }";
    let body = "int own[4];
        for (int p = 0; p < 4; ++p) { own[p] = in[i] + p; }
        scale(own, 3);
        out[i] = total(own) - total(own + 1);";
    maps(device, functions, body, |x| {
        let own = [0, 1, 2, 3].map(|p| 3 * (x + p));
        let total = |of: &[i32]| 3 * of[0] * of[0] + 2 * of[1] * of[1] + of[2] * of[2];
        total(&own) - total(&own[1..])
    })
}

fn loops_over_registers_and_barriers(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 4; @outer) {
            @shared int row[4];
            @exclusive int own[3];
            for (int p = 0; p < 3; ++p) {
                for (int i = o; i < o + 4; ++i; @inner) { row[i - o] = in[i] * (p + 1); }
                for (int i = o; i < o + 4; ++i; @inner) {
                    int value = row[3 - (i - o)];
                    value += p;
                    own[p] = value;
                }
            }
            for (int i = o; i < o + 4; ++i; @inner) {
                int sum = 0;
                for (int p = 0; p < 3; ++p) { sum = 10 * sum + own[2 - p]; }
                out[i] = sum;
            }
        }
    }";
    let input: Vec<i32> = (0..8).map(|i| i * i - 7).collect();
    let expected = |i: usize| {
        let x = input[i / 4 * 4 + 3 - i % 4];
        100 * (3 * x + 2) + 10 * (2 * x + 1) + x
    };
    check::same("out", &integers(device, source, &input, 8)?, &(0..8).map(expected).collect::<Vec<_>>())
}
