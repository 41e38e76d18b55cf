//! What a launch can prove of the accesses of a kernel, before it runs.

use okl::ir::Scalar;
use okl::signature::bounds::{Access, Bounds, Verdict, Within};
use okl::value::ScalarValue;
use okl::{NoIncludes, Request, Signature};

fn signature(source: &str) -> Signature {
    let request = Request { name: "test.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    okl::compile(&request, &okl::back::cpu::CpuTarget).unwrap_or_else(|found| panic!("{found}")).signatures.remove(0)
}

fn shown(access: &Access) -> String {
    format!("{}:{}", access.name, access.at.trim_start_matches("test.okl:"))
}

/// Accesses of all nests of which nothing can be proven, as `name:line:column`.
fn unproven(source: &str) -> Vec<String> {
    let nests = signature(source).nests;
    let accesses = nests.iter().flat_map(|nest| &nest.bounds.unproven);
    accesses.map(shown).collect()
}

/// The first verdict that is not `Proven`: integer arguments in order, and the lengths of memory in order.
fn verdict(source: &str, scalars: &[i64], lengths: &[u64]) -> Result<(), String> {
    let signature = signature(source);
    let (mut scalars, mut lengths) = (scalars.iter(), lengths.iter());
    let mut of_params = Vec::new();
    let mut of_memory = Vec::new();
    for param in &signature.params {
        let (scalar, length) = match &param.kind {
            okl::signature::ParameterKind::Scalar(ty) => (Some((*scalars.next().unwrap(), *ty)), 0),
            _ => (None, *lengths.next().unwrap()),
        };
        of_params.push(scalar.map(|(value, ty)| ScalarValue::I64(value).cast(ty).unwrap()));
        of_memory.push(length);
    }
    let mut slots = [ScalarValue::zero(Scalar::I32); 8];
    let answer = signature.run_host(of_params.as_slice(), &mut slots, &mut |launch| {
        let bounds: &Bounds = &signature.nests[launch.nest].bounds;
        if let Some(access) = bounds.unproven.first() {
            return Err(format!("nothing is known of {}", shown(access)));
        }
        match bounds.check(of_params.as_slice(), launch.slots, &|param| of_memory[param as usize]) {
            Verdict::Proven => Ok(()),
            Verdict::Violated(finding) => {
                let (access, index) = (finding.access(bounds), finding.index.unwrap());
                Err(format!("{} at {index}", shown(access)))
            }
            Verdict::Unproven(finding) => Err(format!("perhaps {:?} {finding:?}", finding.access(bounds))),
        }
    });
    answer.map_err(|error| error.to_string())
}

const BURGERS: &str = include_str!("../../../kernels/burgers.okl");

#[test]
fn the_step_of_burgers_needs_two_more_points() {
    for n in [1, 2, 255, 256, 257, 100_000] {
        let length = n as u64 + 2;
        assert_eq!(verdict(BURGERS, &[n, 0, 0], &[length, length]), Ok(()), "n = {n}");
        let answer = verdict(BURGERS, &[n, 0, 0], &[length - 1, length]);
        assert_eq!(answer, Err(format!("u_prev:{}:26 at {}", line_of("right = "), n + 1)), "n = {n}");
    }
    // No group runs.
    assert_eq!(verdict(BURGERS, &[0, 0, 0], &[0, 0]), Ok(()));
}

fn line_of(text: &str) -> usize {
    BURGERS.lines().position(|line| line.contains(text)).unwrap() + 1
}

/// A kernel of one dimension with `body` for item `i` of `n`, which may read `in` and `idx` and write `out`.
fn one(body: &str) -> String {
    format!(
        "@kernel void k(const int n, const int m, const double *in, const int *idx, double *out) {{
           for (int o = 0; o < n; o += 64; @outer) for (int i = o; i < o + 64; ++i; @inner) if (i < n) {{
{body}
           }}
         }}"
    )
}

fn answer(body: &str, n: i64, m: i64, lengths: [u64; 3]) -> Result<(), String> {
    verdict(&one(body), &[n, m], &lengths)
}

#[test]
fn indices_that_are_proven() {
    for (body, lengths) in [
        ("out[i] = in[n - 1 - i];", [100, 0, 100]),
        ("out[i / 2] = in[i % 7];", [7, 0, 50]),
        ("out[(i / 8) * 8 + i % 8] = in[i & 15];", [16, 0, 100]),
        ("for (int j = i; j < n; ++j) out[j - i] = in[j];", [100, 0, 100]),
        ("for (int j = 0; j <= i; ++j) out[i - j] = 1;", [0, 0, 100]),
        ("for (int j = m - 1; j >= 0; j -= 3) out[i] += in[j];", [10, 0, 100]),
        ("int j = 0; while (j < m) { out[i] += in[j]; j = j + 2; }", [9, 0, 100]),
        ("for (int j = 0; j < m; ++j) { if (j == 3) continue; if (in[j] < 0) break; out[i] = j; }", [10, 0, 100]),
        ("for (int s = 32; s > 0; s >>= 1) out[i] += in[s];", [33, 0, 100]),
        ("for (int s = 1; s < m; s *= 2) out[i] += in[s];", [10, 0, 100]),
        ("out[i] = in[min(i + 1, n - 1)] + in[max(i - 1, 0)];", [100, 0, 100]),
        ("const int l = i > 0 ? i - 1 : n - 1; out[i] = in[l];", [100, 0, 100]),
        ("int l = i - 1; if (l < 0) l = n - 1; out[i] = in[l];", [100, 0, 100]),
        ("int l; if (i > 0) { l = i - 1; } else { l = 0; } out[i] = in[l];", [99, 0, 100]),
        ("if (i == 0 || i == n - 1) { out[i] = 0; } else { out[i] = in[i - 1] + in[i + 1]; }", [100, 0, 100]),
        ("const bool inside = i > 0 && i < n - 1; if (inside) out[i] = in[i - 1] + in[i + 1];", [100, 0, 99]),
        ("if (i > 0 && in[i - 1] > 0) out[i] = 1;", [99, 0, 100]),
        ("const int j = idx[i]; if (j >= 0 && j < m) out[j] = in[j];", [10, 100, 10]),
        ("const int j = idx[i]; if (j < 1 || j > m) return; out[j - 1] = 1;", [0, 100, 10]),
        ("out[i] = in[min(max(idx[i], 0), n - 1)];", [100, 100, 100]),
        ("out[i] = in[max(min(idx[i], m), 1) - 1];", [10, 100, 100]),
        (
            "const int a = min(max(idx[0], 0), n); const int b = min(idx[1], n); for (int j = a; j < b; ++j) out[j] = in[j];",
            [100, 2, 100],
        ),
        ("out[i] = in[3 * min(max(idx[i], 0), n - 1) + 2];", [300, 100, 100]),
        ("out[n - 1 - min(max(idx[i], 0), m)] = 1;", [0, 100, 100]),
        ("out[i] = in[min(max(idx[i], 0), m - 1) * n + min(max(idx[0], 0), n - 1)];", [1000, 100, 100]),
        (
            "const int a = min(max(idx[0], 0), n); const int count = min(max(idx[1], a), n) - a;
             for (int j = 0; j < count; ++j) out[a + j] = in[a + j];",
            [100, 2, 100],
        ),
        ("const int b = min(max(idx[0], 0), n); for (int j = b; j > 0; --j) out[j - 1] = 1;", [0, 1, 100]),
        ("out[abs(i - 50)] = 1;", [0, 0, 51]),
        ("double t[8]; for (int j = 0; j < 8; ++j) t[j] = in[j]; out[i] = t[i % 8];", [8, 0, 100]),
        ("const unsigned char b = (unsigned char)idx[i]; out[b] = 1;", [0, 100, 256]),
        ("const unsigned int u = i; if (u < 10u) out[u] = in[u];", [10, 0, 10]),
        ("switch (i % 3) { case 0: out[0] = 1; break; case 1: out[1] = 1; break; default: out[2] = 1; }", [0, 0, 3]),
        ("for (int j = 0; j < m; j += 4) out[n * j] = 1;", [0, 0, 801]),
        ("for (int j = 0; j < 30; j += 8) for (int k = 0; k < 8; ++k) out[m * (j + k)] = in[j + k];", [32, 0, 311]),
        ("for (int j = 0; j < m; ++j) for (int k = j + 1; k < m; ++k) out[k - j - 1] = in[k] + in[j];", [10, 0, 9]),
    ] {
        assert_eq!(answer(body, 100, 10, lengths), Ok(()), "{body}");
        // Each length is needed: with one less there is an access of which that cannot be said.
        for short in 0..3 {
            let mut lengths = lengths;
            if lengths[short] > 0 {
                lengths[short] -= 1;
                assert!(answer(body, 100, 10, lengths).is_err(), "{body} with {lengths:?}");
            }
        }
    }
}

#[test]
fn violations_are_certain_where_nothing_else_decides() {
    assert_eq!(answer("out[i + 1] = in[i];", 100, 0, [100, 0, 100]), Err("out:3:1 at 100".into()));
    assert_eq!(answer("out[i - 1] = in[i];", 100, 0, [100, 0, 100]), Err("out:3:1 at -1".into()));
    assert_eq!(answer("out[i * m] = 0;", 100, 3, [0, 0, 297]), Err("out:3:1 at 297".into()));
    assert_eq!(answer("out[i * m] = 0;", 100, -1, [0, 0, 297]), Err("out:3:1 at -99".into()));
    assert_eq!(answer("if (i > m) out[i - m] = 0;", 100, 10, [0, 0, 89]), Err("out:3:12 at 89".into()));
    // What memory holds decides whether it happens.
    let perhaps = answer("if (in[i] > 0) out[i + 1] = 0;", 100, 0, [100, 0, 100]).unwrap_err();
    assert!(perhaps.starts_with("perhaps"), "{perhaps}");
    let after = answer("if (in[i] > 0) return; out[i + 1] = 0;", 100, 0, [100, 0, 100]).unwrap_err();
    assert!(after.starts_with("perhaps"), "{after}");
}

#[test]
fn arithmetic_that_wraps_proves_nothing() {
    // 50,000 · 50,000 is no int.
    let squared = answer("const int j = i * m; if (j < 10) out[j] = 0;", 50_001, 50_000, [0, 0, 10]).unwrap_err();
    assert!(squared.starts_with("perhaps"), "{squared}");
    assert_eq!(answer("const int j = i * m; if (j < 10) out[j] = 0;", 40_000, 50_000, [0, 0, 10]), Ok(()));
    let below = answer("const unsigned int j = i; out[j - 1u] = 0;", 10, 0, [0, 0, 10]).unwrap_err();
    assert!(below.starts_with("perhaps"), "{below}");
    // What memory holds may be the greatest number, or the least.
    for body in [
        "const long k = (long)idx[i] << 32; if (k >= 0) { const long j = k + 4611686018427387904L; if (j < 10) out[j] = 0; }",
        "const int j = abs(idx[i]); if (j < 10) out[j] = 0;",
    ] {
        assert!(answer(body, 100, 0, [0, 100, 10]).is_err(), "{body}");
    }
    assert_eq!(answer("const int j = abs(i - m); if (j < 10) out[j] = 0;", 100, 50, [0, 0, 10]), Ok(()));
    assert_eq!(answer("const int j = idx[i] + 5; if (j >= 0 && j < 10) out[j] = 0;", 100, 0, [0, 100, 10]), Ok(()));
}

#[test]
fn a_loop_does_not_follow_what_may_wrap() {
    for (body, n) in [
        // 2³² - 1 becomes 0.
        (
            "unsigned int x = idx[i]; const unsigned int u = x;
          for (int k = 0; k < 5; ++k) { if (x < 10) out[u] = 1; x += 1u; }",
            100,
        ),
        // 255 does.
        ("unsigned char x = 0; long y = 0; while (in[i] > 0) { if (x < 10) out[y] = 1; x += 1; ++y; }", 100),
        // 2³⁰ becomes negative.
        ("int d = 1; while (in[i] > 0) { if (d < 10) out[d] = 1; d <<= 1; }", 100),
        ("int d = 1; do { if (d < 10) out[d] = 1; d *= 2; } while (in[i] > 0);", 100),
        ("int d = 1; while (d < idx[i]) { if (d < 10) out[d] = 1; d *= 2; }", 100),
        ("long d = 1; while (d < (long)m << 32) { if (d < 10) out[d] = 1; d *= 2; }", 100),
        // A step that goes round after a few.
        ("int w = 0; long y = 0; while (in[i] > 0) { if (w >= 0 && w < 10) out[y] = 1; w += 1000000007; ++y; }", 100),
        // One that the launch decides.
        ("int w = 0; long y = 0; while (in[i] > 0) { if (w >= 0 && w < 10) out[y] = 1; w += m; ++y; }", 100),
        ("for (long j = 0; j < 9223372036854775807L; j += (long)m << 31) { if (j < 10) out[j] = 1; }", 100),
    ] {
        let answer = answer(body, n, i32::MAX.into(), [100, 100, 10]);
        assert!(answer.is_err(), "{body}");
    }
    // What the condition limits is a number.
    for body in [
        "for (int d = 1; d < 10; d <<= 1) out[d] = 1;",
        "for (unsigned char d = 0; d < 10; d += 3) out[d] = 1;",
        "long d = 1; while (d < 10 && in[d] > 0) { out[d] = 1; d *= 2; }",
        "for (int j = idx[i]; j < 10; ++j) { if (j >= 0) out[j] = 1; }",
    ] {
        assert_eq!(answer(body, 100, i32::MAX.into(), [100, 100, 10]), Ok(()), "{body}");
    }
}

#[test]
fn hashes_need_no_proof() {
    let kernel = |hash: &str, index: &str| {
        format!(
            "unsigned int wang(unsigned int s) {{
               s = (s ^ 61u) ^ (s >> 16); s *= 9u; s = s ^ (s >> 4); s *= 0x27d4eb2du; return s ^ (s >> 15);
             }}
             @kernel void k(const unsigned int n, const unsigned int m, int *counts, float *out) {{
               for (unsigned int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{
                 {hash}
                 out[i] = (int)(h >> 9) * 1.1920929e-7f;
                 counts[{index}] = 1;
               }}
             }}"
        )
    };
    for hash in [
        "const unsigned int h = i * 2654435761u;",
        "unsigned int h = i; for (int k = 0; k < 5; ++k) h = h * 1664525u + 1013904223u;",
        "unsigned int h = i + 1u; h ^= h << 13; h ^= h >> 17; h ^= h << 5;",
        "unsigned int h = i + m; h *= 0xcc9e2d51u; h = (h << 15) | (h >> 17); h *= 0x1b873593u;",
        "const unsigned long w = (unsigned long)i * 0xd2511f53ul; const unsigned int h = (unsigned int)(w >> 32) ^ (unsigned int)w;",
        "const unsigned long w = i * 6364136223846793005ul + 1442695040888963407ul; const unsigned int h = (unsigned int)(w >> 33);",
        "const unsigned int h = (i * 73856093u) ^ ((i + 1u) * 19349663u) ^ ((i + 2u) * 83492791u);",
    ] {
        // More items than would fit.
        let n = 1 << 20;
        for index in ["h % 97u", "h & 63u", "h >> 26", "(h ^ (h >> 3)) % 100u"] {
            let text = kernel(hash, index);
            let lengths = [100, n as u64];
            assert_eq!(verdict(&text, &[n, 12345], &lengths), Ok(()), "{hash} {index}");
            assert!(verdict(&text, &[n, 12345], &[31, n as u64]).is_err(), "{hash} {index}");
            assert!(verdict(&text, &[n, 12345], &[100, n as u64 - 1]).is_err(), "{hash} {index}");
        }
        assert!(verdict(&kernel(hash, "h"), &[n, 12345], &[100, n as u64]).is_err(), "{hash}");
    }
    // A hash of several steps, in a function.
    let wang = kernel("const unsigned int h = wang(i);", "h % 97u");
    assert_eq!(verdict(&wang, &[1 << 20, 0], &[97, 1 << 20]), Ok(()));
    // Where it fits, such a product is a number like others.
    let plane = kernel("const unsigned int h = i * 1050625u + 7u;", "h");
    assert_eq!(verdict(&plane, &[4, 0], &[3 * 1_050_625 + 8, 4]), Ok(()));
    assert!(verdict(&plane, &[4, 0], &[3 * 1_050_625 + 7, 4]).is_err());
    assert!(verdict(&plane, &[5000, 0], &[u64::from(u32::MAX), 5000]).is_err());
}

#[test]
fn limited_numbers_may_wrap() {
    let text = |body: &str| {
        one(&format!(
            "const int a = min(max(idx[i], 0), m), b = min(max(idx[0], -1), n - 1);
             const unsigned int x = (unsigned int)a; unsigned int u = (unsigned int)idx[i];
             {body}"
        ))
    };
    for body in [
        "out[(a * 1103515245 + 12345) & 7] = 1;",
        "out[(a * a) & 7] = 1;",
        "out[(a + 1) & 7] = 1;",
        "out[(x - 1u) & 7u] = 1;",
        "out[((x * 73856093u) ^ ((unsigned int)b * 19349663u)) & 7u] = 1;",
        "out[((unsigned int)(a - b) * 2654435761u) >> 29] = 1;",
        "out[(unsigned int)b % 8u] = 1;",
        "if ((unsigned int)b < 8u) out[(unsigned int)b] = 1;",
        "const long j = (long)((unsigned long)b + 1ul); out[j & 7] = 1;",
        "if (u < 1u << 28) u <<= 1; if (u < 7u) u -= 1; out[u & 7u] = 1;",
    ] {
        let scalars = [100, i64::from(i32::MAX)];
        assert_eq!(verdict(&text(body), &scalars, &[0, 100, 8]), Ok(()), "{body}");
        assert!(verdict(&text(body), &scalars, &[0, 100, 7]).is_err(), "{body}");
    }
    // Where they do not, they are the numbers that were computed.
    assert_eq!(verdict(&text("if (a + 1 < 8) out[a + 1] = 1;"), &[100, 1000], &[0, 100, 8]), Ok(()));
    assert!(verdict(&text("if (a + 1 < 8) out[a + 1] = 1;"), &[100, i64::from(i32::MAX)], &[0, 100, 8]).is_err());
    let counted = text("for (int j = a; j < b; ++j) { if (j < 10) out[j] = 1; }");
    assert_eq!(verdict(&counted, &[100, i64::from(i32::MAX)], &[0, 100, 10]), Ok(()));
}

#[test]
fn what_memory_holds_is_unproven() {
    assert_eq!(unproven(&one("out[i] = in[idx[i]];")), ["in:3:10"]);
    // Any sign: it is checked where it happens, and nothing else is.
    assert_eq!(unproven(&one("out[i] = in[idx[i] % 100];")), ["in:3:10"]);
    assert_eq!(unproven(&one("out[i] = in[idx[i] % n];")), ["in:3:10"]);
    // Limited on one side only.
    assert_eq!(unproven(&one("out[i] = in[max(idx[i], 0)];")), ["in:3:10"]);
    assert_eq!(unproven(&one("out[i] = in[min(idx[i], n - 1)];")), ["in:3:10"]);
    assert_eq!(unproven(&one("out[i] = in[n - max(idx[i], 0)];")), ["in:3:10"]);
    assert_eq!(unproven(&one("out[i] = in[m * min(idx[i], 3)];")), ["in:3:10"]);
    // A limited number less another one.
    let ends = "const int a = min(max(idx[i], 0), n - 1), b = min(max(idx[i + 1], 0), n - 1);";
    for difference in ["b - a + 5", "abs(b - a)", "(b - a) / 2", "(b > a ? b - a : 0)"] {
        assert_eq!(unproven(&one(&format!("{ends}\nout[i] = in[{difference}];"))), ["in:4:10"], "{difference}");
    }
    assert_eq!(unproven(&one(&format!("{ends}\nout[i] = in[a + b];"))), [""; 0]);
    assert_eq!(unproven(&one("for (int j = 0; j < idx[i]; ++j)\nout[j] = in[i];")), ["out:4:1"]);
    assert_eq!(unproven(&one("int j = 0; while (in[j] > 0)\n++j; out[j] = in[i];")), ["in:3:19", "out:4:6"]);
    assert_eq!(unproven(&one("const int j = (int)in[i]; out[j] = 0;")), ["out:3:27"]);
    // A row that memory gives, in steps that are known.
    assert_eq!(unproven(&one("for (int j = idx[i]; j < idx[i + 1]; ++j) out[i] += in[j];")), ["in:3:53"]);
}

#[test]
fn a_row_that_begins_anywhere_asks_nothing_of_a_launch() {
    let signature = signature(
        "@kernel void sums(const int n, const long *rows, const float *x, float *y) {
          for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
            float sum = 0;
            for (long j = rows[i]; j < rows[i + 1]; ++j) { sum += x[j]; }
            y[i] = sum;
          }
        }",
    );
    let bounds = &signature.nests[0].bounds;
    assert_eq!(bounds.unproven.iter().map(shown).collect::<Vec<_>>(), ["x:4:67"]);
    // No launch could prove that a number of 64 bits in memory is far from the end of its type.
    let is_of_long = |within: &Within| matches!(within, Within::Type(Scalar::I64));
    assert!(bounds.requirements.iter().all(|requirement| !is_of_long(&requirement.within)));
}

#[test]
fn shared_exclusive_and_functions_are_followed() {
    let source = "
      double sum(const double *p, const int count) { double s = 0; for (int j = 0; j < count; ++j) s += p[j]; return s; }
      int left(const int i, const int n) { if (i > 0) { return i - 1; } return n - 1; }
      @kernel void k(const int n, const double *in, double *out) {
        for (int e = 0; e < n; ++e; @outer) {
          @shared double s[8][8];
          @exclusive double r;
          @exclusive int at;
          for (int j = 0; j < 8; ++j; @inner) for (int i = 0; i < 8; ++i; @inner) {
            s[j][i] = in[e * 64 + j * 8 + i];
            at = left(i, 8);
          }
          for (int j = 0; j < 8; ++j; @inner) for (int i = 0; i < 8; ++i; @inner) {
            r = sum(in + e * 64 + j * 8, 8);
            out[e * 64 + j * 8 + i] = s[j][at] + s[at][i] + r;
          }
        }
      }";
    assert_eq!(unproven(source), [""; 0]);
    assert_eq!(verdict(source, &[5], &[320, 320]), Ok(()));
    assert_eq!(verdict(source, &[5], &[320, 319]), Err("out:15:13 at 319".into()));
    assert_eq!(verdict(source, &[5], &[319, 320]), Err("in:10:23 at 319".into()));
}

const TRANSPOSE: &str = include_str!("../../primitives/kernels/transpose.okl");

#[test]
fn quotients_of_the_group_are_whole() {
    let transpose = format!("#define INDEX int\n#define ELEMENT double\n{TRANSPOSE}");
    for [rows, columns] in [[1, 1], [20, 10], [100, 70], [70, 100], [1000, 1000], [32, 64], [1, 5000], [5000, 1]] {
        let length = (rows * columns) as u64;
        assert_eq!(verdict(&transpose, &[rows, columns], &[length, length]), Ok(()), "{rows} by {columns}");
        for short in [[length - 1, length], [length, length - 1]] {
            assert!(verdict(&transpose, &[rows, columns], &short).is_err(), "{rows} by {columns}: {short:?}");
        }
    }
}

#[test]
fn elements_of_four_axes_are_proven_whatever_their_strides() {
    // Rows in tiles, whose number is a quotient of the group's; indices along the axes are remainders of quotients of that.
    let rows = "@kernel void k(const int d0, const int d1, const int d2, const int columns, const int s0, const int s1,
                               const int s2, const int s3, const double *in, double *out) {
      for (int group = 0; group < d0 * d1 * d2 * ((columns + 63) / 64); ++group; @outer) {
        const int tiles = (columns + 63) / 64, row = group / tiles, first = group % tiles * 64;
        const int c0 = row / (d1 * d2), c1 = row / d2 % d1, c2 = row % d2;
        for (int item = 0; item < 64; ++item; @inner) {
          if (item < columns - first) {
            const int c3 = first + item;
            out[row * columns + c3] = in[c0 * s0 + c1 * s1 + c2 * s2 + c3 * s3];
          }
        }
      }
    }";
    let flat = "@kernel void k(const int d0, const int d1, const int d2, const int columns, const int s0, const int s1,
                               const int s2, const int s3, const double *in, double *out) {
      for (int i = 0; i < d0 * d1 * d2 * columns; ++i; @tile(64, @outer, @inner)) {
        const int row = i / columns, c3 = i % columns;
        const int c0 = row / (d1 * d2), c1 = row / d2 % d1, c2 = row % d2;
        out[i] = in[c0 * s0 + c1 * s1 + c2 * s2 + c3 * s3];
      }
    }";
    let shapes = [[2, 3, 4, 1000], [2, 3, 4, 100], [1, 1, 1, 5], [7, 5, 3, 64], [1, 2, 1, 65]];
    for (kernel, dims) in [rows, flat].into_iter().flat_map(|kernel| shapes.map(|dims| (kernel, dims))) {
        let [d0, d1, d2, columns] = dims;
        let whole = [d1 * d2 * columns, d2 * columns, columns, 1];
        for strides in [whole, [0, 0, 0, 1], [0, 1, d1, 0], [1, d0, d0 * d1, d0 * d1 * d2], [0; 4]] {
            let needed = 1 + (0..4).map(|axis| (dims[axis] - 1) * strides[axis]).sum::<i64>();
            let scalars = [dims, strides].concat();
            let elements = (d0 * d1 * d2 * columns) as u64;
            let answer = |read: i64, written: u64| verdict(kernel, &scalars, &[read as u64, written]);
            assert_eq!(answer(needed, elements), Ok(()), "{dims:?} with {strides:?}");
            assert!(
                answer(needed - 1, elements).is_err() && answer(needed, elements - 1).is_err(),
                "{dims:?} {strides:?}"
            );
        }
    }
}

#[test]
fn bits_of_words_are_no_numbers_to_be_proven() {
    // A key of a sort: what is turned, and how far, depends on its sign.
    let text = "@kernel void count(const int n, const unsigned int *keys, int *counts) {
      for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
        const unsigned int turned = keys[i] ^ ((0 - (keys[i] >> 31)) | 0x80000000u);
        const unsigned int last = turned | -(unsigned int)(keys[i] > 0x7f800000u);
        counts[last >> 8 & 255] = 1;
      }
    }";
    assert_eq!(verdict(text, &[1000], &[1000, 256]), Ok(()));
    // Where such a number is an index, nothing is known of it.
    let index = text.replace("last >> 8 & 255", "0 - (keys[i] >> 31)");
    assert_eq!(unproven(&index), ["counts:5:9"]);
    // A difference that is a number has to be one.
    let length = text.replace("last >> 8 & 255", "(unsigned int)n - 1u - (unsigned int)i");
    assert_eq!(verdict(&length, &[1000], &[1000, 1000]), Ok(()));
    assert!(verdict(&length, &[1000], &[1000, 999]).is_err());
}

#[test]
fn lanes_of_shuffles_are_proven() {
    for (function, distance) in [("up", "d"), ("down", "d"), ("up", "3"), ("down", "31"), ("up", "40u")] {
        let text = format!(
            "@kernel void k(const int n, const double *a, double *b) {{
              for (int g = 0; g < n; ++g; @outer) for (int l = 0; l < 64; ++l; @inner) {{
                double sum = a[64 * g + l];
                for (int d = 1; d < 32; d *= 2) sum += subgroup_shuffle_{function}(sum, {distance}, 32);
                b[64 * g + l] = sum;
              }}
            }}"
        );
        assert_eq!(verdict(&text, &[10], &[640, 640]), Ok(()), "{function} {distance}");
    }
}

#[test]
fn a_shift_in_place_fits_the_variable_and_not_its_distance() {
    for by in ["4", "4L"] {
        // 16 becomes 0, so that `out[16]` is reached.
        let text = format!(
            "@kernel void k(const int n, const unsigned char *in, int *out) {{
              for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{
                unsigned char high = in[i];
                const unsigned char index = high;
                high <<= {by};
                if (high < 16) {{ out[index] = 1; }}
              }}
            }}"
        );
        assert!(verdict(&text, &[100], &[100, 1]).is_err(), "{by}");
        // A wide number stays one.
        let wide = text.replace("unsigned char high = in[i]", "long high = 1000 * (long)i");
        let wide = wide.replace("if (high < 16) { out[index] = 1; }", "out[high / 16000] = 1;");
        assert_eq!(verdict(&wide.replace("const unsigned char index = high;", ""), &[200_000], &[1, 200_000]), Ok(()));
    }
}
