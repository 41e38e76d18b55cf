//! What small or large sources may cost: nothing grows beyond the size of the source, or a finding says the limit.
//!
//! Where a thing used to be exponential, it is so large here that the test would not end. Where it was quadratic, the
//! test's own limit is generous; it fails on anything that is.

use okl::back::cpu::CpuTarget;
use okl::back::cuda::CudaTarget;
use okl::back::opencl::OpenClTarget;
use okl::back::wgsl::WgslTarget;
use okl::target::{Target, opencl, wgsl};
use okl::{Compiled, Diagnostics, NoIncludes, Request};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

fn compile(source: &str, target: &dyn Target) -> Result<Compiled, Diagnostics> {
    let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    okl::compile(&request, target)
}

fn targets() -> [Box<dyn Target>; 5] {
    let in_loops = opencl::Features { form: opencl::Form::Loops, ..opencl::Features::ALL };
    [
        Box::new(CpuTarget),
        Box::new(CudaTarget),
        Box::new(OpenClTarget(opencl::Features::ALL)),
        Box::new(OpenClTarget(in_loops)),
        Box::new(WgslTarget(wgsl::Features::ALL)),
    ]
}

fn for_wgsl() -> Box<dyn Target> {
    Box::new(WgslTarget(wgsl::Features::ALL))
}

/// A kernel whose items run `body`.
fn kernel(body: &str) -> String {
    format!(
        "@kernel void k(const int n, double *a, int *c) {{ for (int o = 0; o < n; ++o; @outer) {{
           for (int i = 0; i < 32; ++i; @inner) {{ {body} }} }} }}"
    )
}

/// The same with a second region behind a barrier.
fn two_regions(body: &str) -> String {
    format!(
        "@kernel void k(const int n, double *a, int *c) {{ for (int o = 0; o < n; ++o; @outer) {{ @shared double s[32];
           for (int i = 0; i < 32; ++i; @inner) {{ {body} s[i] = a[i]; }}
           for (int i = 0; i < 32; ++i; @inner) {{ a[i] = s[31 - i]; }} }} }}"
    )
}

/// `count` pieces of text, one behind the other.
fn times(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(text, "{}", piece(number));
        text
    })
}

/// A chain in which each function calls the one before it twice: 2^links calls, if each were followed.
fn chain(links: usize) -> String {
    let functions = times(links, |k| format!("int f{}(int a) {{ return f{k}(a) + f{k}(a); }}\n", k + 1));
    format!("int f0(int a) {{ return a + 1; }}\n{functions}{}", kernel(&format!("c[i] = f{links}(i);")))
}

/// The same, where the functions take pointers and exchange them.
fn pointer_chain(links: usize) -> String {
    let link = |k: usize| {
        let head = format!("void g{}(double *a, double *b, int i)", k + 1);
        format!("{head} {{ g{k}(a, b, i); g{k}(b, a, i + 1); }}\n")
    };
    let first = "void g0(double *a, double *b, int i) { a[i] += b[i]; }\n";
    format!("{first}{}{}", times(links, link), kernel(&format!("double t[4]; t[0] = 1; g{links}(a, t, 0);")))
}

#[test]
fn a_function_is_looked_at_once_however_many_paths_lead_to_it() {
    for chain in [chain, pointer_chain] {
        for target in &targets()[..4] {
            let bytes = |links: usize| {
                let compiled = compile(&chain(links), &**target);
                compiled.unwrap_or_else(|found| panic!("{}: {found}", target.name())).text.len()
            };
            let (short, long) = (bytes(30), bytes(60));
            assert!(long < 3 * short, "{}: {short} bytes for 30 links, {long} for 60", target.name());
        }
    }
}

#[test]
fn what_a_driver_would_make_too_large_is_refused() {
    let found = compile(&chain(60), &*for_wgsl()).expect_err("too large").to_string();
    assert!(found.contains("`k` calls have") && found.contains("262144 are possible"), "{found}");
    compile(&chain(12), &*for_wgsl()).unwrap_or_else(|found| panic!("{found}"));
}

/// Deepest nesting of braces in a text.
fn depth(text: &str) -> usize {
    let step = |(depth, most): (usize, usize), c: char| match c {
        '{' => (depth + 1, most.max(depth + 1)),
        '}' => (depth - 1, most),
        _ => (depth, most),
    };
    text.chars().fold((0, 0), step).1
}

#[test]
fn many_early_ends_do_not_nest() {
    let bodies = [
        times(600, |k| format!("if (a[i] > {k}) return; a[i] += 1;\n")),
        times(600, |k| format!("if (a[i] > {k}) {{ a[i] += {k}; }} else {{ c[i] = {k}; return; }}\n")),
        times(600, |k| format!("for (int j = 0; j < n; ++j) {{ if (a[j] > {k}) return; }} a[i] += 1;\n")),
        times(600, |k| format!("if (a[i] > {k}) continue; a[i] += 1;\n")),
    ];
    for body in bodies {
        for source in [kernel(&body), two_regions(&body)] {
            for target in targets() {
                let compiled = compile(&source, &*target).unwrap_or_else(|found| panic!("{found}"));
                // Clang takes 256 levels.
                let depth = depth(&compiled.text);
                assert!(depth < 60, "{}: {depth} levels", target.name());
            }
        }
    }
}

#[test]
fn the_scalars_of_structs_are_limited() {
    let with = |fields: &str| format!("struct S {{ {fields} }};\n{}", kernel("S s; s.a[0] = a[i]; a[i] = s.a[0];"));
    let refused = |source: &str| compile(source, &CpuTarget).expect_err("too large").to_string();
    for fields in ["double a[200000000];", "double a[1]; int b[256][256];", "char a[65536]; char b;"] {
        let found = refused(&with(fields));
        assert!(found.contains("struct `S` has more than 65536 scalars"), "{found}");
    }
    compile(&with("char a[65535]; char b;"), &CpuTarget).unwrap_or_else(|found| panic!("{found}"));
    let doubling = times(60, |k| format!("struct S{} {{ S{k} a; S{k} b; }};\n", k + 1));
    let found = refused(&format!("struct S0 {{ char a; }};\n{doubling}{}", kernel("a[i] = 1;")));
    assert!(found.contains("struct `S17` has more than 65536 scalars"), "{found}");
    let kernels = |count: usize| {
        let body = "for (int o = 0; o < n; ++o; @outer) for (int i = 0; i < 4; ++i; @inner) a[i] = s[o].a[i];";
        let kernels = times(count, |k| format!("@kernel void k{k}(const int n, const S *s, double *a) {{ {body} }}\n"));
        format!("struct S {{ double a[65536]; }};\n{kernels}")
    };
    let found = refused(&kernels(17));
    assert!(found.contains("8388608 bytes in total at most"), "{found}");
    assert!(!refused(&kernels(17)).contains("17 more"), "one finding is enough");
    compile(&kernels(16), &CpuTarget).unwrap_or_else(|found| panic!("{found}"));
}

#[test]
fn of_very_many_findings_the_first_hundred_are_shown() {
    let refused = compile(&kernel(&times(5000, |k| format!("q{k} = 1;\n"))), &CpuTarget).expect_err("not declared");
    assert_eq!(refused.list.len(), 5000);
    let text = refused.to_string();
    assert_eq!(text.matches("error: ").count(), 100);
    assert!(text.contains("`q99` is not declared") && !text.contains("`q100`"), "{text}");
    assert!(text.ends_with("… and 4900 more errors\n"), "{text}");
    // Errors are shown before warnings, whichever come first.
    let warned = times(150, |k| format!("if (o == {k}) {{ int unused{k}; }}\n"));
    let mut found = compile(&kernel("q = 1;"), &CpuTarget).expect_err("not declared");
    let error = found.list[0].clone();
    found.list =
        vec![okl::Diagnostic::warning(okl::rules::EMPTY_LOOP, error.span, "a warning"); warned.lines().count()];
    found.list.push(error);
    let text = found.to_string();
    assert!(text.contains("`q` is not declared") && text.ends_with("… and 51 more warnings\n"), "{text}");
}

#[test]
fn a_long_source_is_no_growth() {
    // 2.2 million tokens, of which macros make none.
    let table = |name: &str| format!("const int {name}[550000] = {{{}}};\n", "1,".repeat(550_000));
    let source = format!("{}{}{}", table("t"), table("u"), kernel("c[i] = t[i] + u[i];"));
    compile(&source, &CpuTarget).unwrap_or_else(|found| panic!("{found}"));
    let doubling = times(40, |k| format!("#define D{}(x) D{k}(x x)\n", k + 1));
    let found = compile(&format!("#define D0(x) x\n{doubling}D40(1)"), &CpuTarget).expect_err("it grows").to_string();
    assert!(found.contains("grows beyond 209"), "{found}");
}

/// Kinds of sources, each with a count and the source of so many parts of it.
type Sources = [(&'static str, usize, fn(usize) -> String); 5];

const SOURCES: Sources = [
    ("variables", 200, |count| kernel(&times(count, |k| format!("double v{k} = a[{k}] + {k}; c[{k}] = v{k} > 1;\n")))),
    ("fields", 1000, |count| {
        let fields = times(count, |k| format!("int f{k};"));
        format!("struct S {{ {fields} }};\n{}", kernel("S s; s.f0 = i; c[i] = s.f0;"))
    }),
    ("nests", 20, |count| format!("@kernel void k(const int n, double *a) {{ {} }}", times(count, nest))),
    ("kernels", 20, |count| times(count, |k| format!("@kernel void k{k}(const int n, double *a) {{ {} }}\n", nest(k)))),
    ("functions", 20, |count| {
        times(count, |k| {
            let calling = nest(k).replace("+= ", &format!("+= f{k}(a[i]) + "));
            format!(
                "double f{k}(double x) {{ double t[2]; t[0] = x; return t[0] * {k}; }}
                 @kernel void k{k}(const int n, double *a) {{ {calling} }}\n"
            )
        })
    }),
];

fn nest(k: usize) -> String {
    format!("for (int o = 0; o < n; ++o; @outer) for (int i = 0; i < 32; ++i; @inner) a[o * 32 + i] += {k};\n")
}

#[test]
fn time_grows_with_the_size_of_the_source_and_no_faster() {
    let time = |source: &str, target: &dyn Target| {
        let start = Instant::now();
        compile(source, target).unwrap_or_else(|found| panic!("{found}"));
        start.elapsed()
    };
    for target in [Box::new(CpuTarget) as Box<dyn Target>, for_wgsl()] {
        for (what, count, source) in SOURCES {
            let (small, large) = (source(count), source(16 * count));
            // What is quadratic takes up to 256 times as long. Others may use the machine: it has three attempts.
            let is_linear = |_| {
                let (small, large) = (time(&small, &*target), time(&large, &*target));
                eprintln!("{}, {what}: {small:?}, 16 times as many {large:?}", target.name());
                large < (small * 40).max(Duration::from_millis(300))
            };
            assert!((0..3).any(is_linear), "{}, {what}: the time grows faster than the source", target.name());
        }
    }
}
