//! No input makes the front end panic, overflow the stack or run on without end.

use super::{Files, run};
use okl::Severity;
use proptest::prelude::*;

/// Pieces that grammar is made of, so that random sequences get past the first error.
const SOUP: &[&str] = &[
    "@kernel",
    "@outer",
    "@inner",
    "@tile(4, @outer, @inner)",
    "@shared",
    "@exclusive",
    "@barrier;",
    "@atomic",
    "@",
    "void",
    "int",
    "unsigned",
    "float",
    "double",
    "const",
    "restrict",
    "struct",
    "enum",
    "typedef",
    "static",
    "for",
    "while",
    "do",
    "if",
    "else",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "sizeof",
    "goto",
    "class",
    "a",
    "b",
    "f",
    "T",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    "->",
    "=",
    "+=",
    "+",
    "-",
    "*",
    "/",
    "&",
    "&&",
    "?",
    ":",
    "::",
    "<",
    ">",
    "++",
    "...",
    "0",
    "1",
    "1.5f",
    "0x",
    "'a'",
    "\"s\"",
    "'",
    "\"",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n",
    "\n#define a b\n",
    "\n#define f(x) x f(x) #x\n",
    "\n#define b a(",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"self\"\n",
    "\n#",
    "##",
    "#",
    "é",
    "\0",
];

fn survives(source: &str) {
    let files = Files::of(&[("self", "#include \"self\"\n")]);
    let run = run(source, "CPU", &[("N", "3")], &files);
    // Rendering walks spans and expansions; it must hold for whatever was found.
    let _ = run.found.to_string();
}

/// All that may refuse a source: what passes gives IR that every target takes.
fn checks_or_is_refused(source: &str) {
    let request = okl::Request { name: "k.okl", source, mode: "CPU", defines: &[], includes: &okl::NoIncludes };
    if let Err(found) = okl::to_ir(&request) {
        assert!(found.has_errors(), "refused without an error");
        let _ = found.to_string();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(source in any::<String>()) {
        survives(&source);
    }

    #[test]
    fn any_bytes_as_text(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_soup(pieces in proptest::collection::vec(proptest::sample::select(SOUP), 0..120), gap in prop::bool::ANY) {
        survives(&pieces.join(if gap { " " } else { "" }));
    }

    #[test]
    fn any_mutation(at in 0usize..KERNEL.len(), len in 0usize..20, piece in proptest::sample::select(SOUP)) {
        let end = (at + len).min(KERNEL.len());
        if KERNEL.is_char_boundary(at) && KERNEL.is_char_boundary(end) {
            let source = format!("{}{piece}{}", &KERNEL[..at], &KERNEL[end..]);
            survives(&source);
            checks_or_is_refused(&source);
        }
    }

    #[test]
    fn text_of_tokens_gives_the_same_tokens(pieces in proptest::collection::vec(proptest::sample::select(SOUP), 0..60)) {
        use okl::front::lex::Lexer;
        use okl::front::preprocess::to_text;
        let tokens: Vec<_> = Lexer::new(pieces.join(" "), 0).collect();
        let again: Vec<_> = Lexer::new(to_text(&tokens), 0).collect();
        // A comment without an end swallows what follows it.
        prop_assume!(!pieces.contains(&"/*"));
        prop_assert_eq!(tokens.iter().map(|t| &t.kind).collect::<Vec<_>>(), again.iter().map(|t| &t.kind).collect::<Vec<_>>());
    }
}

const KERNEL: &str = r#"
#define TILE 16
#define AT(i, j) ((i)*TILE + (j))
typedef struct { float x, y; } pair;
static float add(const float *a, int i) { return a[i] + 1.5f; }
@kernel void k(const int n, @restrict const float *a, float * @restrict b) {
  for (int o = 0; o < n; o += TILE; @outer(0)) {
    @shared float s[TILE][TILE + 1];
    @exclusive float r = 0, q[3] = {1, 2, 3};
    for (int i = 0; i < TILE; ++i; @inner) {
      if (o + i < n && a[AT(o, i)] > 0.0f) { s[0][i] = add(a, i); } else s[i][0] = (float) sizeof(pair);
      @barrier;
      switch (i) { case 0: r += 1; break; default: @atomic b[0] += r ? r : -r; }
      do { r *= 2; } while (r < 'a');
    }
  }
}
"#;

/// The whole front end for a source that is meant to be too much: it ends, with these errors.
fn refused(source: &str) -> String {
    let files = Files::of(&[("self", "#include \"self\"\n#include \"self\"\n")]);
    let found = run(source, "CPU", &[], &files).found;
    assert!(found.list.len() < 200, "{} findings", found.list.len());
    assert!(found.to_string().len() < 100_000, "the findings show too much of the source");
    let errors = found.list.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
}

#[test]
fn deep_nesting_is_refused() {
    let n = 10_000;
    let body = |inside: String| format!("void f() {{ {inside} }}");
    let deep = [
        body(format!("x = {}1{};", "(".repeat(n), ")".repeat(n))),
        body(format!("x = {}1;", "(".repeat(n))),
        body(format!("x = {}1;", "- ".repeat(n))),
        body(format!("x = {}1;", "(int) ".repeat(n))),
        body(format!("x = {}1;", "sizeof ".repeat(n))),
        body(format!("x = {};", "a ? b : ".repeat(n))),
        body(format!("x = {}1;", "a ? ".repeat(n))),
        body(format!("{}1;", "x = ".repeat(n))),
        body(format!("x = {}1{};", "f(".repeat(n), ")".repeat(n))),
        body(format!("x = {}1{};", "a[".repeat(n), "]".repeat(n))),
        body("{".repeat(n)),
        body("if (1) ".repeat(n)),
        body(format!("{} ;", "if (1) ; else ".repeat(n))),
        body("for (;;) ".repeat(n)),
        body("do ".repeat(n)),
        body("switch (1) {".repeat(n)),
        body(format!("int x[2] = {};", "{".repeat(n))),
        body(format!("int x{};", "[a".repeat(n))),
        "struct S { struct S { ".repeat(n),
        format!("@tile({} int x;", "@tile(".repeat(n)),
        body(format!("x = f{};", "[f(f".repeat(n))),
        body(format!("x = {};", "a || b && c | d ^ e & f == g < h << i + j * (".repeat(n))),
    ];
    for source in &deep {
        let message = refused(source);
        assert!(message.contains("levels deep"), "{message} for {} …", &source[..60]);
    }
    let tall = [
        body(format!("x = 1{};", " + 1".repeat(n))),
        body(format!("x = a{};", ".b".repeat(n))),
        body(format!("x = a{};", "[0]".repeat(n))),
        body(format!("x = a{};", "++".repeat(n))),
        body(format!("x{};", ", x".repeat(n))),
        body(format!("x = {}1{};", "(".repeat(50), " + 1)".repeat(50) + &"+ 1".repeat(250))),
    ];
    for source in &tall {
        let message = refused(source);
        assert!(message.contains("levels of operators"), "{message} for {} …", &source[..60]);
    }
}

#[test]
fn the_deepest_that_is_accepted_fits_a_small_stack() {
    let inside = format!("{}1{}", "f(a + ".repeat(120), ")".repeat(120));
    let source = format!("void f() {{ {} x = {inside}; }}", "for (;;) ".repeat(70));
    // Test threads have 2 MiB, as Rust's threads do by default.
    let run = run(&source, "CPU", &[], &Files::default());
    assert_eq!(run.found.to_string(), "");
    let _ = run.unit.clone();
}

#[test]
fn what_the_parser_accepts_is_compiled_on_any_stack() {
    let bodies = [
        format!("x = {}1{};", "sqrt(".repeat(180), ")".repeat(180)),
        format!("x = 1{};", " + 1.5".repeat(250)),
        format!("x = {}1;", "i ? 2 : ".repeat(180)),
        format!("{} x = 1;", "if (i) x = 2; else ".repeat(150)),
        format!("{} x = 1; {}", "while (x > 3) {".repeat(90), "}".repeat(90)),
    ];
    for body in bodies {
        let source = format!(
            "@kernel void k(double *a) {{ for (int o = 0; o < 3; ++o; @outer) for (int i = 0; i < 4; ++i; @inner) \
             {{ double x = 0; {body} a[i] = x; }} }}"
        );
        let request =
            okl::Request { name: "k.okl", source: &source, mode: "CPU", defines: &[], includes: &okl::NoIncludes };
        if let Err(found) = okl::compile(&request, &okl::back::cpu::CpuTarget) {
            panic!("{found}");
        }
    }
}

#[test]
fn endless_macros_and_includes_end() {
    let doubling: String = (0..60).map(|i| format!("#define D{} D{i} D{i}\n", i + 1)).collect();
    assert!(refused(&format!("{doubling}D60")).contains("in this source"));
    let arguments: String = (0..60).map(|i| format!("#define E{}(x) E{i}(x x)\n", i + 1)).collect();
    assert!(refused(&format!("#define E0(x) x\n{arguments}E60(1)")).contains("grows beyond"));
    let chain: String = (0..5000).map(|i| format!("#define C{} C{i}\n", i + 1)).collect();
    assert!(refused(&format!("{chain}C5000")).contains("levels deep"));
    assert!(refused(&format!("#define F(x) x\n{}1{}", "F(".repeat(1000), ")".repeat(1000))).contains("levels deep"));
    assert!(refused(&format!("#define f(a) g\n#define g(a) f\nf(1){}", "(1)".repeat(5000))).contains("levels deep"));
    assert!(refused("#include \"self\"").contains("include each other without end"));
    assert!(refused(&format!("#if {}1", "(".repeat(5000))).contains("levels deep"));
    assert!(refused(&format!("#if {}1", "!".repeat(5000))).contains("levels deep"));
    assert!(refused(&"#error x\n".repeat(100_000)).contains("too many errors"));
    assert!(refused(&"?;".repeat(100_000)).contains("too many errors"));
}
