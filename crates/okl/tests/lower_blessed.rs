//! Sources with the IR that they become, and sources with the findings that refuse them.
//!
//! `tests/lower/ir.txt`, `tests/lower/findings.txt` and `tests/lower/warnings.txt` hold the cases: a name after `=== `, the source, `---`, and the
//! expected text. `FERROCCA_BLESS=1 cargo test -p ferrocca-okl --test lower_blessed` writes what comes out now; read the
//! difference before it is committed.

mod support;

use okl::{NoIncludes, Request, ir, to_ir};
use std::fmt::Write as _;

/// What a source becomes: its IR, after its warnings.
fn lowered(source: &str) -> Result<String, String> {
    let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    let (module, _, warnings) = to_ir(&request).map_err(|findings| findings.to_string())?;
    ir::verify(&module).unwrap_or_else(|rule| panic!("{rule}\n{}", ir::dump(&module)));
    Ok(format!("{warnings}{}", ir::dump(&module)))
}

/// Runs every case of a file through `outcome`.
fn check(file: &str, outcome: impl Fn(&str) -> String) {
    let path = support::package_directory().join("tests/lower").join(file);
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
fn sources_become_this_ir() {
    check("ir.txt", |source| lowered(source).unwrap_or_else(|findings| panic!("{source}\n{findings}")));
}

#[test]
fn sources_are_refused_with_these_findings() {
    check("findings.txt", |source| match lowered(source) {
        Ok(ir) => panic!("accepted:\n{source}\n{ir}"),
        Err(findings) => findings,
    });
}

#[test]
fn sources_are_built_with_these_warnings() {
    check("warnings.txt", |source| {
        let request = Request { name: "t.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
        let (_, _, warnings) = to_ir(&request).unwrap_or_else(|findings| panic!("{source}\n{findings}"));
        match warnings.list.is_empty() {
            true => "none".to_owned(),
            false => warnings.to_string(),
        }
    });
}
