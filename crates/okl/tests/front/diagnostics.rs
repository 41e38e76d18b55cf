//! What the front end says: place, source line, caret, both places of macros, hint.
//!
//! The cases stand in `diagnostics.txt`: `#### name`, the source, `----`, what is said. With `FERROCCA_BLESS=1` in the
//! environment the file is written anew; look at the difference before it is committed.

use super::{Files, run};
use std::fmt::Write as _;

const CASES: &str = include_str!("diagnostics.txt");

/// What is said about one case. `bad.h` can be included; a case named `props_…` also has bad definitions.
fn findings(name: &str, source: &str) -> String {
    let files = Files::of(&[("bad.h", "int a\n\nint b;\n")]);
    let mut defines = vec![("N", "16"), ("SQ(x)", "((x)*(x)")];
    if name.starts_with("props_") {
        defines.extend([("3", "x"), ("A B", "1"), ("F(", "2"), ("", "4"), ("X\n#error", "5"), ("G(x)", "x")]);
    }
    run(source, "CPU", &defines, &files).found.to_string()
}

#[test]
fn findings_are_as_written() {
    let mut written = String::new();
    let mut wrong = Vec::new();
    for case in CASES.split("#### ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (source, expected) = rest.split_once("\n----\n").expect("a source and what is said");
        let found = findings(name, source);
        if found.trim_end() != expected.trim_end() {
            wrong.push(format!("{name}: expected\n{expected}\nfound\n{found}"));
        }
        let _ = write!(written, "#### {name}\n{source}\n----\n{}\n\n", found.trim_end());
    }
    if std::env::var_os("FERROCCA_BLESS").is_some() {
        let path = crate::support::package_directory().join("tests/front/diagnostics.txt");
        std::fs::write(path, written).expect("the cases can be written");
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn every_case_says_something() {
    for case in CASES.split("#### ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (_, expected) = rest.split_once("\n----\n").expect("a source and what is said");
        assert!(expected.contains("error: "), "{name} is accepted");
    }
}
