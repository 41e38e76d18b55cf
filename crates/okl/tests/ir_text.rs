//! Texts that are no IR, and IR that breaks a rule.
//!
//! `tests/ir/unreadable.txt` and `tests/ir/broken.txt` hold the cases: what is wrong after `=== `, the text, `---`, and
//! what is said of it. `FERROCCA_BLESS=1 cargo test -p ferrocca-okl --test ir_text` writes what is said now; read the
//! difference before it is committed.

#[path = "filetests/round_trip.rs"]
mod round_trip;
mod support;

use okl::ir::{self, Literal, Module};
use okl::{NoIncludes, Request, SourceMap, to_ir};
use std::fmt::Write as _;

/// Runs every case of a file through `outcome`.
fn check(file: &str, outcome: impl Fn(&str) -> String) {
    let path = support::package_directory().join("tests/ir").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut blessed, mut wrong) = (String::new(), Vec::new());
    for case in text.split("=== ").skip(1) {
        let (name, rest) = case.split_once('\n').unwrap();
        let (source, expected) = rest.split_once("---\n").unwrap_or((rest, ""));
        let got = outcome(source);
        let _ = write!(blessed, "=== {name}\n{source}---\n{}\n\n", got.trim_end());
        if got.trim_end() != expected.trim_end() {
            wrong.push(format!("{file}: {name}\n{source}--- expected\n{expected}--- got\n{got}"));
        }
    }
    if std::env::var_os("FERROCCA_BLESS").is_some() {
        std::fs::write(&path, blessed.trim_end().to_owned() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn a_text_that_is_no_ir_is_refused_where_it_is_wrong() {
    check("unreadable.txt", |text| match ir::parse(text) {
        Ok(module) => panic!("read:\n{text}\n{}", ir::dump(&module)),
        Err(error) => error.to_string(),
    });
}

#[test]
fn ir_that_breaks_a_rule_is_refused() {
    check("broken.txt", |text| {
        let module = ir::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        match ir::verify(&module) {
            Ok(()) => panic!("accepted:\n{text}"),
            Err(rule) => rule,
        }
    });
}

/// The IR of a source that keeps all rules, and the source map.
fn lowered(source: &str) -> (Module, SourceMap) {
    let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let (module, _, warnings) = to_ir(&request).unwrap_or_else(|findings| panic!("{findings}"));
    (module, warnings.map)
}

#[test]
fn numbers_and_names_that_look_alike_are_told_apart() {
    let (mut module, _) = lowered(
        "const double table[6] = {1, 2, 3, 4, 5, 6};
        struct f64 { float x; };
        double sqrt_of(const double call) { return call; }
        @kernel void block(const int region, double *atomic, struct f64 *flat) {
          for (int b = 0; b < region; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) {
            double loop = -(1.0) - -atomic[0] + sqrt_of(table[i]);
            for (int i = 0; i < 3; ++i) { double loop = i; atomic[i] = loop; }
            flat[b].x = -(-5) + loop;
            atomic[1] = -0.0 + 1e300 + 1e-300 + 0x1p-1074;
          }
        }",
    );
    let nan = f64::from_bits(0xfff8_0000_0000_0123);
    let odd = [f64::NAN, -f64::NAN, nan, f64::INFINITY, f64::NEG_INFINITY, -0.0];
    module.constants[0].values = odd.map(Literal::Float).to_vec();
    round_trip::check(&module).unwrap();
    let text = "fn f(x: f64) -> f64\n  return ((-(5.0) + -5.0) + ((f64) -1u64))\n";
    assert_eq!(ir::dump(&ir::parse(text).unwrap()), text);
}

#[test]
fn every_line_of_the_text_knows_its_source() {
    let source = "@kernel void k(double *a) {\n  for (int b = 0; b < 4; ++b; @outer)\n    for (int i = 0; i < 4; ++i; @inner)\n      a[i] = i;\n}\n";
    let (module, map) = lowered(source);
    let (text, lines) = ir::dump_lines(&module, &map);
    let numbered: Vec<_> = text.lines().zip(lines).map(|(text, line)| (text.trim(), line)).collect();
    let line = |start: &str| numbered.iter().find(|(text, _)| text.starts_with(start)).expect("it is there").1;
    let found = ["kernel", "outer", "inner", "a[i]"].map(line);
    assert_eq!(found, [Some((0, 1)), Some((0, 2)), Some((0, 3)), Some((0, 4))]);
}

/// As deep as the text may nest, and deeper.
#[test]
fn deep_text_needs_no_deep_stack() {
    let function =
        |levels: usize| format!("fn f(x: f64) -> f64\n  return {}x{}\n", "-(".repeat(levels), ")".repeat(levels));
    let module = ir::parse(&function(900)).expect("it is IR");
    assert_eq!(ir::verify(&module), Ok(()));
    assert_eq!(ir::dump(&ir::parse(&ir::dump(&module)).expect("it was written so")), ir::dump(&module));
    for text in [function(100_000), "fn f(x: f64) -> f64\n  return ".to_owned() + &"f64(".repeat(100_000)] {
        let error = ir::parse(&text).expect_err("it is too deep").to_string();
        assert!(error.contains("2000 levels"), "{error}");
    }
}
