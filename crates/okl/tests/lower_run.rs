//! What lowering makes of loops, barriers and side effects, run by the interpreter with all its checks on: races,
//! bounds and uninitialised reads are faults. Expected values are closed forms.

use okl::interp::{Arg, Interpreter, Options};
use okl::{NoIncludes, Request, to_ir};

/// Runs kernel `k(int n, double *a)` on `a`, which starts as 0, 1, 2 …
fn run(source: &str, n: i32, len: usize) -> Vec<f64> {
    let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let (module, ..) = to_ir(&request).unwrap_or_else(|e| panic!("{e}"));
    let mut bytes: Vec<u8> = (0..len).flat_map(|i| (i as f64).to_ne_bytes()).collect();
    let memory = Arg::Memory { buffer: 0, offset: 0, bytes: bytes.len() };
    let result =
        Interpreter::new(&module, Options::default()).run("k", &mut [&mut bytes], &[Arg::Scalar(n.into()), memory]);
    if let Err(fault) = result {
        panic!("{fault:?}\n{}", okl::ir::dump(&module));
    }
    bytes.chunks_exact(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap())).collect()
}

fn check(source: &str, n: i32, expected: &[f64]) {
    assert_eq!(run(source, n, expected.len()), expected, "{source}");
}

#[test]
fn a_barrier_separates_writes_from_reads() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < n; ++o; @outer) {
             @shared double s[4];
             for (int i = 0; i < 4; ++i; @inner) {
               const int at = o * 4 + i;
               double mine = a[at];
               s[i] = mine;
               @barrier;
               a[at] = mine + 10 * s[3 - i];
             }
           }
         }",
        2,
        &[30.0, 21.0, 12.0, 3.0, 74.0, 65.0, 56.0, 47.0],
    );
}

#[test]
fn a_barrier_in_a_uniform_loop_lifts_the_loop() {
    // A prefix sum: each step adds what stands `distance` to the left.
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             @shared double s[8];
             for (int i = 0; i < 8; ++i; @inner) {
               s[i] = a[i];
               double sum = a[i];
               for (int distance = 1; distance < n; distance *= 2) {
                 @barrier;
                 if (i >= distance) sum += s[i - distance];
                 @barrier;
                 s[i] = sum;
               }
               a[i] = sum;
             }
           }
         }",
        8,
        &[0.0, 1.0, 3.0, 6.0, 10.0, 15.0, 21.0, 28.0],
    );
}

#[test]
fn items_that_continue_stay_away_from_later_parts_of_their_loop_only() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             @shared double s[4];
             for (int i = 0; i < 4; ++i; @inner) {
               s[i] = a[i];
               if (i % 2) continue;
               @barrier;
               a[i] = s[3 - i] + 10;
             }
             for (int i = 0; i < 4; ++i; @inner) a[i] += 100;
           }
         }",
        0,
        &[113.0, 101.0, 111.0, 103.0],
    );
}

#[test]
fn items_that_return_stay_away_from_everything_later() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             for (int i = 0; i < 4; ++i; @inner) {
               if (i % 2) return;
               @barrier;
               a[i] += 10;
             }
             for (int i = 0; i < 4; ++i; @inner) a[i] += 100;
           }
         }",
        0,
        &[110.0, 1.0, 112.0, 3.0],
    );
}

#[test]
fn a_uniform_break_leaves_a_lifted_loop() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             @shared double s[4];
             for (int i = 0; i < 4; ++i; @inner) {
               s[i] = i;
               for (int turn = 0; ; ++turn) {
                 @barrier;
                 const double left = s[(i + 1) % 4];
                 @barrier;
                 s[i] = left;
                 if (turn == n) break;
               }
               a[i] = s[i];
             }
           }
         }",
        2,
        &[3.0, 0.0, 1.0, 2.0],
    );
}

#[test]
fn a_barrier_within_the_bound_check_of_a_tile() {
    check(
        "@kernel void k(int n, double *a) {
           for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
             const double next = a[(i + 1) % n];
             @barrier;
             a[i] += 10 * next;
           }
         }",
        4,
        &[10.0, 21.0, 32.0, 3.0, 4.0],
    );
}

#[test]
fn nested_tiles_visit_every_pair_once() {
    let expected: Vec<f64> = (0..35).map(|k| f64::from(k) + f64::from((k / 7) * 100 + k % 7)).collect();
    check(
        "@kernel void k(int n, double *a) {
           for (int j = 0; j < 5; ++j; @tile(2, @outer, @inner)) {
             const double row = j * 100;
             for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
               a[j * n + i] += row + i;
             }
           }
         }",
        7,
        &expected,
    );
}

#[test]
fn tiles_with_a_sequential_loop_inside() {
    check(
        "@kernel void k(int n, double *a) {
           for (int j = n; j > 0; j -= 2; @tile(2, @outer)) {
             for (int i = 0; i < 1; ++i; @inner) a[j] += 10;
           }
         }",
        7,
        &[0.0, 11.0, 2.0, 13.0, 4.0, 15.0, 6.0, 17.0],
    );
}

#[test]
fn sibling_inner_loops_and_continue_between_them() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             for (int j = 0; j < 2; ++j; @inner(1)) {
               const int row = j * 3;
               for (int i = 0; i < 3; ++i; @inner(0)) {
                 if (i == 1) continue;
                 a[row + i] += 10;
               }
               for (int i = 3; i > 0; --i; @inner(0)) a[row + 3 - i] += 100;
             }
           }
         }",
        0,
        &[110.0, 101.0, 112.0, 113.0, 104.0, 115.0],
    );
}

#[test]
fn starts_that_depend_on_outer_indices() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 1; o < n; o += 3; @outer) {
             const int first = o, last = first + 3;
             for (int i = last - 1; i >= first; --i; @inner) a[i] += o * 10;
           }
         }",
        6,
        &[0.0, 11.0, 12.0, 13.0, 44.0, 45.0, 46.0],
    );
}

#[test]
fn exclusive_values_are_set_wherever_they_are_declared() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             for (int turn = 1; turn <= n; ++turn) {
               @exclusive double mine[3] = {turn, 2};
               if (turn > 1) { for (int i = 0; i < 4; ++i; @inner) mine[1] += i; }
               for (int i = 0; i < 4; ++i; @inner) a[i] += mine[0] + 10 * mine[1] + mine[2];
             }
           }
         }",
        2,
        &[43.0, 54.0, 65.0, 76.0],
    );
}

#[test]
fn groups_leave_early() {
    check(
        "@kernel void k(int n, double *a) {
           for (int o = 0; o < 4; ++o; @outer) {
             if (o == 1) continue;
             for (int i = 0; i < 1; ++i; @inner) a[o] += 10;
             if (o > n) { return; }
             for (int i = 0; i < 1; ++i; @inner) a[o] += 100;
           }
         }",
        2,
        &[110.0, 1.0, 112.0, 13.0],
    );
}

#[test]
fn side_effects_happen_once_and_in_order() {
    check(
        "double next(double *at) { *at += 1; return *at; }
         @kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < 1; ++i; @inner) {
             int t = 0;
             a[t++] = 5; a[1] = t > 0 ? t-- + 1 : t++;
             double calls = 0;
             if (t > 100 && next(&calls) > 0) a[2] = -1;
             if (t < 100 || next(&calls) > 0) a[2] = 20 + calls;
             int turns = 0;
             while (turns < 10 && next(&calls) < 4) turns++;
             a[3] = 10 * turns + calls;
             double *p = a + 4;
             *p++ = 7; *++p = 8; a[5] = p - a;
             int x = (t = 3, t + 1), y = x = 9;
             a[7] = x + y + t;
             do { t -= 2; } while (t-- > 0);
             a[8] = t;
             switch (n) { case 1: a[9] = 1; break; case 2: a[9] = 2; default: a[9] += 100; }
           }
         }",
        2,
        &[5.0, 2.0, 20.0, 34.0, 7.0, 6.0, 8.0, 21.0, -3.0, 102.0],
    );
}

#[test]
fn the_host_part_decides_what_runs() {
    check(
        "@kernel void k(int n, double *a) {
           const double scale[2] = {10, 100};
           int first = 0;
           do {
             for (int i = first; i < first + 2; ++i; @tile(2, @outer, @inner)) a[i] += scale[1];
             first += 2;
           } while (first < n);
           switch (n) {
             case 3: n = 5;
             case 5: n += 1; break;
             default: n = 0;
           }
           if (n != 6) return;
           for (int i = n; i != n + 2; ++i; @tile(4, @outer, @inner)) a[i] += scale[0];
         }",
        3,
        &[100.0, 101.0, 102.0, 103.0, 4.0, 5.0, 16.0, 17.0],
    );
}

#[test]
fn pointers_to_rows_and_moved_parameters() {
    check(
        "void fill(double *p, int count) { while (count--) *p++ += 10; }
         double corner(const double m[][3], int row) { return m[row][2]; }
         @kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < 1; ++i; @inner) {
             double m[2][3] = {{1, 2, 3}, {4, 5, 6}};
             fill(m[1], 2);
             double *last = &m[0][0] + 5;
             a[0] = m[1][0]; a[1] = m[1][1]; a[2] = *last; a[3] = corner(m, 0) + corner(m + 1, 0);
             fill(a + 4, n);
           }
         }",
        1,
        &[14.0, 15.0, 6.0, 9.0, 14.0, 5.0],
    );
}

#[test]
fn results_that_live_across_a_barrier() {
    check(
        "double bump(double *at) { *at += 1; return *at; }
         @kernel void k(int n, double *a) {
           for (int o = 0; o < 1; ++o; @outer) {
             @shared double s[3];
             for (int i = 0; i < 3; ++i; @inner) {
               s[i] = 10 * i;
               double now = bump(&s[i]);
               @barrier;
               a[i] = now + s[(i + 1) % 3];
             }
           }
         }",
        0,
        &[12.0, 32.0, 22.0],
    );
}
