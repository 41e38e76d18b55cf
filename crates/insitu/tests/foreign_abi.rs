//! An extension that speaks another version of the ABI is refused by name, before anything else of it is used.

#![cfg(unix)]

mod support;

use ferrocca_insitu::PythonHook;
use ferrocca_insitu::abi::ABI_VERSION;
use std::process::Command;

#[test]
fn another_version_of_the_abi_is_refused_by_name() {
    let Some(python) = support::python() else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let script = support::script(&directory, "script.py", "def step(frame): pass\n");
    let load = |name: &str, source: &str| {
        let (text, library) = (directory.path().join(name).with_extension("c"), directory.path().join(name));
        std::fs::write(&text, source).expect("the source is written");
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&text).status();
        if !compiled.is_ok_and(|status| status.success()) {
            eprintln!("skipped: no C compiler makes the foreign extension");
            return None;
        }
        let mut foreign = python.clone();
        foreign.extension = library;
        Some(PythonHook::load_with(&foreign, &script).unwrap_err().to_string())
    };
    let Some(text) = load("future.so", "unsigned ferrocca_insitu_abi_version(void) { return 4711; }\n") else {
        return;
    };
    let ours = format!("version {ABI_VERSION}");
    for part in ["future.so", "speaks version 4711", "this program (ferrocca ", &ours, "same release"] {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
    let text = load("stranger.so", "int nothing;\n").expect("the compiler worked before");
    assert!(text.contains("stranger.so") && text.contains("offers no in-situ ABI"), "{text}");
    // The Python that was started serves the next script.
    PythonHook::load_with(&python, &script).expect("the right extension loads");
}
