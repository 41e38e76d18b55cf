//! Runs every kernel of `filetests/` through the interpreter and, compiled, through each of its targets; and every
//! file of `filetests/passes/` through its pass.
//! The examples of every rule of the compiler are tests too: `filetests rule_K030` runs one.
//! The directives are explained in `filetests/README.md`; each file is one test, named after it.
//!
//! `FERROCCA_BLESS=1` writes the snapshots of emitted text, `FERROCCA_REQUIRE_CC=1` fails where there is no C compiler,
//! `FERROCCA_ALL_COMPILERS=1` uses every one that is found, not only the first; `FERROCCA_NAME_ROUNDS=20` gives every
//! kernel so many sets of other names.

#[path = "filetests/adversarial.rs"]
mod adversarial;
#[path = "fuzz/bounds.rs"]
mod bounds;
#[path = "filetests/case.rs"]
mod case;
#[path = "filetests/check.rs"]
mod check;
#[path = "filetests/native.rs"]
mod native;
#[path = "filetests/round_trip.rs"]
mod round_trip;
#[path = "filetests/rules.rs"]
mod rules;
#[path = "filetests/setup.rs"]
mod setup;
mod support;
#[path = "filetests/targets.rs"]
mod targets;
#[path = "filetests/text.rs"]
mod text;
#[path = "filetests/value.rs"]
mod value;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let compilers = Arc::new(native::compilers());
    if let Err(why) = &*compilers {
        eprintln!("emitted text is compared but neither compiled nor run: {why}");
    }
    let mut trials = vec![Trial::test("a_c_compiler_where_one_is_required", {
        let compilers = Arc::clone(&compilers);
        move || native::refuse_missing(&compilers).map_err(Failed::from)
    })];
    let directory = support::package_directory().join("filetests");
    let mut paths: Vec<_> = std::fs::read_dir(&directory)
        .expect("the folder of filetests is part of the crate")
        .chain(std::fs::read_dir(directory.join("passes")).expect("it has one of passes"))
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "okl" || e == "ir"))
        .collect();
    paths.sort();
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (path, compilers) = (path.clone(), Arc::clone(&compilers));
        trials.push(Trial::test(name, move || {
            let compilers = compilers.as_deref().unwrap_or_default();
            check::check(&path, compilers).map_err(Failed::from)
        }));
    }
    for rule in okl::rules::all() {
        let compilers = Arc::clone(&compilers);
        trials.push(Trial::test(format!("rule_{}_{}", rule.code, rule.name), move || {
            rules::check(rule, compilers.as_deref().unwrap_or_default()).map_err(Failed::from)
        }));
    }
    trials.push(Trial::test("rules_have_a_page", || {
        rules::check_table(&support::package_directory()).map_err(Failed::from)
    }));
    trials.push(Trial::test("editors_know_every_word", || {
        let grammar = support::package_directory().join("../../editors/okl.tmLanguage.json");
        text::compare(&grammar, &okl::vocabulary::grammar()).map_err(Failed::from)
    }));
    trials.push(Trial::test("every_snapshot_is_named", move || {
        check::stale_snapshots(&directory, &paths).map_err(Failed::from)
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}
