//! What a launch can prove by the contents of constant memory.

use okl::back::cpu::CpuTarget;
use okl::ir::Scalar;
use okl::signature::bounds::{Bounds, Verdict};
use okl::signature::{HostParams, ParameterKind};
use okl::value::ScalarValue;
use okl::{Checks, NoIncludes, Request, Signature};

fn signature(source: &str, checks: Checks) -> Signature {
    let request = Request { name: "test.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    okl::compile_with(&request, &CpuTarget, checks).unwrap_or_else(|found| panic!("{found}")).signatures.remove(0)
}

/// A kernel with `body` for item `i` of `n`, which may read `in`, `idx` and `map` and write `out`.
fn one(body: &str) -> String {
    format!(
        "@kernel void k(const int n, const double *in, const int *idx, const int *map, double *out) {{
           for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{
             {body}
           }}
         }}"
    )
}

/// Names of accesses that nothing proves where all lengths are known, and of those that constant memory does not prove either.
fn unproven(source: &str) -> [Vec<String>; 2] {
    [Checks::Unproven, Checks::UnprovenOfConstants].map(|checks| {
        let nests = signature(source, checks).nests;
        nests.iter().flat_map(|nest| &nest.bounds.unproven).map(|access| access.name.clone()).collect()
    })
}

#[track_caller]
fn check(body: &str, without: &[&str], with: &[&str]) {
    assert_eq!(unproven(&one(body)), [without, with], "{body}");
}

#[test]
fn indices_that_constant_memory_holds() {
    check("out[i] = in[idx[i]];", &["in"], &[]);
    check("out[i] = in[idx[map[i]]];", &["idx", "in"], &[]);
    check("out[i] = in[map[idx[i] * 8 + i % 8]];", &["map", "in"], &[]);
    check("const long j = idx[i]; out[3 * j + 1] = in[j] + in[map[j] - 1];", &["in", "map", "in", "out"], &[]);
    check("out[idx[i] % 100] = in[idx[i] / n] + in[map[i] & n];", &["in", "in", "out"], &[]);
    check("for (int j = idx[i]; j < idx[i + 1]; ++j) out[i] += in[map[j]];", &["map", "in"], &[]);
    check("const int end = idx[i + 1]; for (int j = idx[i]; j < end; ++j) out[i] += in[map[j]];", &["map", "in"], &[]);
    check("for (int k = 0; k < map[i]; ++k) out[i] += in[idx[i] + k];", &["in"], &[]);
    check("const int *row = map + idx[i]; out[row[0]] = in[row[1]];", &["map", "in", "map", "out"], &[]);
    check("int a[2]; a[0] = idx[i]; out[idx[i]] = in[a[0]];", &["in", "out"], &["in"]);
}

#[test]
fn what_is_read_out_of_range_is_no_element() {
    // What `idx` gives at a place that is checked may be anything.
    check("const int j = (int)in[i]; out[i] = in[idx[j]];", &["idx", "in"], &["idx", "in"]);
}

#[test]
fn memory_that_may_change_is_not_known() {
    let source = |kind: &str, ty: &str| {
        format!(
            "@kernel void k(const int n, {kind} {ty} *idx, double *out) {{
               for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{ out[idx[i]] = 1; }}
             }}"
        )
    };
    for ty in ["int", "unsigned int", "long", "unsigned long"] {
        assert_eq!(unproven(&source("const", ty))[1], [""; 0], "const {ty}");
        assert_eq!(unproven(&source("", ty))[1], ["out"], "{ty}");
    }
    assert_eq!(unproven(&source("const", "unsigned char"))[1], [""; 0]);
    // The elements of vectors and structs are none of the memory's.
    let of_pairs = "@kernel void k(const int n, const int2 *idx, double *out) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { out[idx[i].x] = 1; }
      }";
    assert_eq!(unproven(of_pairs)[1], ["out"]);
}

/// A number, elements of `in`, `idx`, `map`, `out`, and the contents of `idx` and `map`.
struct Given(i32, [u64; 4], [Option<[i64; 2]>; 2]);

impl HostParams for Given {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        (position == 0).then_some(ScalarValue::I32(self.0))
    }

    fn contents(&self, position: u32) -> Option<[i64; 2]> {
        self.2.get((position as usize).checked_sub(2)?).copied().flatten()
    }
}

#[track_caller]
fn verdict(body: &str, given: &Given) -> Verdict {
    let signature = signature(&one(body), Checks::UnprovenOfConstants);
    let length = |param: u32| match signature.params[param as usize].kind {
        ParameterKind::Pointer { .. } => given.1[param as usize - 1],
        _ => 0,
    };
    let mut slots = [ScalarValue::zero(Scalar::I32); 8];
    let mut verdict = Verdict::Proven;
    let ended: Result<(), _> = signature.run_host(given, &mut slots, &mut |launch| {
        let bounds: &Bounds = &signature.nests[launch.nest].bounds;
        assert_eq!(bounds.unproven, []);
        verdict = bounds.check(given, launch.slots, &length);
        Ok::<(), String>(())
    });
    ended.expect("the host part has a value");
    verdict
}

#[test]
fn contents_decide() {
    let gather = "out[i] = in[idx[i]];";
    let lengths = [10, 4, 0, 4];
    for (contents, is_proven) in [
        (Some([0, 9]), true),
        (Some([3, 3]), true),
        (Some([0, 10]), false),
        (Some([-1, 9]), false),
        (Some([i64::MIN, i64::MAX]), false),
        (None, false),
    ] {
        let verdict = verdict(gather, &Given(4, lengths, [contents, None]));
        // No content is certain to be read: nothing is refused for its sake.
        assert!(!matches!(verdict, Verdict::Violated(_)), "{contents:?}: {verdict:?}");
        assert_eq!(verdict == Verdict::Proven, is_proven, "{contents:?}: {verdict:?}");
    }
    // The index array itself is too short, and that is certain.
    assert!(matches!(verdict(gather, &Given(5, lengths, [Some([0, 9]), None])), Verdict::Violated(_)));
    let marked = "if (idx[i] >= 0) out[i] = in[idx[i]];";
    assert_eq!(verdict(marked, &Given(4, lengths, [Some([-1, 9]), None])), Verdict::Proven);
    let not_minus_one = "const int j = idx[i]; if (j != -1) out[i] = in[j];";
    assert_eq!(verdict(not_minus_one, &Given(4, lengths, [Some([-1, 9]), None])), Verdict::Proven);
    let rows = "for (int j = idx[i]; j < idx[i + 1]; ++j) out[i] += in[map[j]];";
    let contents = [Some([0, 30]), Some([0, 9])];
    assert_eq!(verdict(rows, &Given(3, [10, 4, 30, 3], contents)), Verdict::Proven);
    assert!(matches!(verdict(rows, &Given(3, [10, 4, 29, 3], contents)), Verdict::Unproven(_)));
    assert!(matches!(verdict(rows, &Given(3, [9, 4, 30, 3], contents)), Verdict::Unproven(_)));
    // A product that leaves its type may be any number.
    let wide = "out[i] = in[idx[i] * 1000000 / 1000000];";
    assert_eq!(verdict(wide, &Given(4, lengths, [Some([0, 9]), None])), Verdict::Proven);
    assert!(matches!(verdict(wide, &Given(4, [10_000, 4, 0, 4], [Some([0, 9_000]), None])), Verdict::Unproven(_)));
}

#[test]
fn a_reader_is_told_what_constant_memory_proves() {
    let source = one("out[i] = in[idx[i]] + in[(int)in[i]] + map[i];");
    let text = signature(&source, Checks::Unproven).bounds_text();
    let of_memory: Vec<&str> =
        text.lines().filter(|line| line.starts_with("k_0") || line.contains("nothing is known")).collect();
    assert_eq!(
        of_memory,
        [
            "k_0: 6 accesses, 2 of them unproven, 1 with constant memory for `idx`",
            "  test.okl:3:23: nothing is known of the index of in without constant memory",
            "  test.okl:3:36: nothing is known of the index of in",
        ]
    );
    let text = signature(&source, Checks::UnprovenOfConstants).bounds_text();
    assert!(text.contains("- lowest(idx) + v") && text.contains("highest(idx) - v"), "{text}");
    // Numbers that lead nowhere are none that a launch has to know.
    let data = one("if (map[i] == 1) out[i] = in[idx[i]];");
    let nest = &signature(&data, Checks::Unproven).nests[0];
    assert_eq!(nest.bounds.with_constants.as_ref().map(|constants| &constants.params[..]), Some(&[2][..]));
}
