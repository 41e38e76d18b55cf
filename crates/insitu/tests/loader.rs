//! Failures of the loader before any Python runs: each is an error that names what is missing and the remedy.
//! The Pythons here are scripts that answer the loader's question as such a Python would.

#![cfg(unix)]

use ferrocca_insitu::PythonHook;
use ferrocca_insitu::python::Python;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held while a program is written and run: a file that another thread's child still has open for writing, between
/// its fork and its exec, cannot be executed.
static PROGRAMS: Mutex<()> = Mutex::new(());

/// A program that runs `commands` whatever it is asked.
fn program(directory: &Path, commands: &str) -> PathBuf {
    let path = directory.join("python3");
    std::fs::write(&path, format!("#!/bin/sh\n{commands}\n")).expect("the program is written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it becomes executable");
    path
}

fn alone() -> MutexGuard<'static, ()> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A Python that gives this answer.
fn answering(answer: &str) -> Result<Python, String> {
    let _alone = alone();
    let answer = answer.replace('\n', " ");
    let directory = tempfile::tempdir().expect("a directory");
    Python::at(program(directory.path(), &format!("echo noise; echo '{answer}'"))).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

#[test]
fn a_program_that_is_not_there() {
    let _alone = alone();
    let text = Python::at("/no/such/python3").unwrap_err().to_string();
    assert_says(&text, &["/no/such/python3", "does not start", "Python 3.11 or newer", "FERROCCA_PYTHON"]);
}

#[test]
fn a_program_that_is_no_python() {
    let _alone = alone();
    let directory = tempfile::tempdir().expect("a directory");
    let fails = program(directory.path(), "echo 'no module named encodings' >&2; exit 3");
    assert_says(
        &Python::at(fails).unwrap_err().to_string(),
        &["does not behave like a Python", "3", "no module named encodings"],
    );
    let babbles = program(directory.path(), "echo hello");
    assert_says(&Python::at(babbles).unwrap_err().to_string(), &["does not behave like a Python", "hello"]);
}

#[test]
fn pythons_that_cannot_be_used() {
    let text = answering(r#"{"version": [3, 9, 18], "executable": "/usr/bin/python3"}"#).unwrap_err();
    assert_says(&text, &["is Python 3.9.18", "3.11 or newer"]);
    let static_python = r#"{"version": [3, 12, 1], "implementation": "cpython", "executable": "/usr/bin/python3",
        "libraries": [], "extension": "/x/_native.abi3.so"}"#;
    assert_says(&answering(static_python).unwrap_err(), &["no shared library", "apt install libpython3.12"]);
    let bare = r#"{"version": [3, 12, 1], "implementation": "cpython", "executable": "/opt/bin/python3",
        "libraries": ["/opt/lib/libpython3.12.so.1.0"], "package": null}"#;
    let text = answering(bare).unwrap_err();
    assert_says(
        &text,
        &["`ferrocca` is not installed", "/opt/bin/python3 -m pip install ./crates/insitu-py", "cargo xtask"],
    );
}

#[test]
fn the_answer_of_a_usable_python_is_taken() {
    let answer = r#"{"version": [3, 13, 0], "implementation": "cpython", "executable": "/venv/bin/python3",
        "free_threaded": false, "libraries": ["/lib/libpython3.13.so.1.0", "/other"], "package": "/x/__init__.py",
        "extension": "/x/_native.abi3.so"}"#;
    let python = answering(answer).expect("it can be used");
    assert_eq!(python.library, Path::new("/lib/libpython3.13.so.1.0"));
    assert_eq!((python.version, python.executable), ((3, 13, 0), PathBuf::from("/venv/bin/python3")));
}

#[test]
fn scripts_that_are_no_files_are_refused_before_python_is_looked_for() {
    let text = PythonHook::load("/no/such/script.py").unwrap_err().to_string();
    assert_says(&text, &["loading the in-situ script `/no/such/script.py`", "No such file"]);
    let directory = tempfile::tempdir().expect("a directory");
    assert_says(&PythonHook::load(directory.path()).unwrap_err().to_string(), &["not a file"]);
}

#[test]
fn a_library_that_does_not_load() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("script.py");
    std::fs::write(&script, "def step(frame): pass\n").expect("the script is written");
    let library = directory.path().join("libpython3.12.so.1.0");
    std::fs::write(&library, "not a library").expect("the library is written");
    let python = Python {
        executable: "/opt/bin/python3".into(),
        version: (3, 12, 1),
        library,
        extension: "/x/_native.abi3.so".into(),
    };
    let text = PythonHook::load_with(&python, script).unwrap_err().to_string();
    assert_says(&text, &["script.py", "libpython3.12.so.1.0 does not load"]);
}
