//! Kernels that work, and faults that are put into them line by line: `ferrocca run --checked` finds each one, says what it
//! is and where, in the very words of the interpreter.
//!
//! A line `//~ KIND | TEXT` in a file of `bugs/` is the fault that stands in the place of the line of code above it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the report of a fault says, one of these.
fn words(kind: &str) -> &'static [&'static str] {
    match kind {
        "out" => &["is out of bounds", "it would access element"],
        "dimension" => &["is outside of a dimension", "it would access element"],
        "race" => &["race: this"],
        "unset" => &["is read before it was written"],
        "zero" => &["integer division by zero"],
        "overflow" => &["does not fit `"],
        "shift" => &["by a negative number of bits or by its width or more"],
        "finite" => &["finite values become "],
        "novalue" => &["ended without returning a value"],
        "refused" => &["error: "],
        other => panic!("`{other}` is no kind of fault"),
    }
}

/// A fault in a file.
struct Bug {
    kind: String,
    /// Index of the line of code that it replaces.
    line: usize,
    text: String,
}

struct File {
    name: String,
    arguments: Vec<String>,
    lines: Vec<String>,
    bugs: Vec<Bug>,
}

fn read(path: &Path) -> File {
    let text = std::fs::read_to_string(path).expect("the file is part of the crate");
    let (mut lines, mut bugs): (Vec<String>, Vec<Bug>) = (Vec::new(), Vec::new());
    let mut arguments = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("// args: ") {
            arguments.extend(rest.split_whitespace().map(str::to_owned));
        } else if let Some(bug) = line.trim_start().strip_prefix("//~ ") {
            let (kind, text) = bug.split_once('|').expect("a kind and a text");
            bugs.push(Bug { kind: kind.trim().to_owned(), line: lines.len() - 1, text: text.trim().to_owned() });
            continue;
        }
        lines.push(line.to_owned());
    }
    File { name: path.file_name().expect("a name").to_string_lossy().into_owned(), arguments, lines, bugs }
}

fn ferrocca(directory: &Path, mode: &[&str], file: &Path, arguments: &[String]) -> Output {
    let program = std::env::var_os("CARGO_BIN_EXE_ferrocca").unwrap_or_else(|| env!("CARGO_BIN_EXE_ferrocca").into());
    let mut command = Command::new(program);
    command.env("FERROCCA_CACHE_DIR", directory.join("cache")).arg("run").args(mode).arg(file).args(arguments);
    command.output().expect("ferrocca starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What is wrong with the report of a fault in the checked mode and in the interpreter; nothing where both are right.
fn check(file: &File, bug: &Bug, directory: &Path, number: usize) -> Option<String> {
    let mut lines = file.lines.clone();
    lines[bug.line].clone_from(&bug.text);
    let path = directory.join(format!("{number}.okl"));
    std::fs::write(&path, lines.join("\n")).expect("it can be written");
    let finite = if bug.kind == "finite" { ", finite=true" } else { "" };
    let run = |mode: String| ferrocca(directory, &["--mode", &mode], &path, &file.arguments);
    let checked = run(format!("mode=Serial, checked=true{finite}"));
    let reference = run(format!("mode=Reference{finite}"));
    let report = stderr(&checked);
    let what = format!("{}:{}: {} `{}`", file.name, bug.line + 1, bug.kind, bug.text);
    if checked.status.code() != Some(1) || !words(&bug.kind).iter().any(|words| report.contains(words)) {
        return Some(format!("{what}: not found, but: {report}"));
    }
    if stderr(&reference) != report {
        return Some(format!("{what}: the interpreter says: {}\nthe checked mode says: {report}", stderr(&reference)));
    }
    // A loop's head leads to accesses elsewhere, and so do races and what was not written.
    let is_there = matches!(bug.kind.as_str(), "out" | "dimension" | "zero" | "overflow" | "shift")
        && !["for ", "int count", "double sum", "id =", "const int ", "return", "&s_D"]
            .iter()
            .any(|head| bug.text.contains(head));
    if is_there && !report.contains(&format!("{number}.okl:{}", bug.line + 1)) {
        return Some(format!("{what}: found elsewhere: {report}"));
    }
    None
}

fn files() -> Vec<File> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let directory = PathBuf::from(package).join("tests/bugs");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the folder is part of the crate")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

#[test]
fn kernels_without_a_fault_run() {
    let directory = tempfile::tempdir().expect("a directory");
    for file in files() {
        let path = directory.path().join(&file.name);
        std::fs::write(&path, file.lines.join("\n")).expect("it can be written");
        for mode in [&["--checked", "--mode", "Serial"][..], &["--mode", "Reference"], &["--mode", "Serial"]] {
            let output = ferrocca(directory.path(), mode, &path, &file.arguments);
            assert!(output.status.success(), "{} with {mode:?}: {}", file.name, stderr(&output));
        }
    }
}

#[test]
fn every_seeded_fault_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = files();
    let bugs: Vec<(&File, &Bug)> = files.iter().flat_map(|file| file.bugs.iter().map(move |bug| (file, bug))).collect();
    assert!(bugs.len() >= 100, "{} faults", bugs.len());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((file, bug)) = bugs.get(number) else { break };
                    wrong.lock().expect("no thread panics").extend(check(file, bug, directory.path(), number));
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(
        wrong.is_empty(),
        "{} of {} are not found as they should be:\n{}",
        wrong.len(),
        bugs.len(),
        wrong.join("\n")
    );
}
