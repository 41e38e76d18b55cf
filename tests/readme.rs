//! What the README says works: its commands run, its files are there. Its Rust example is a documentation test of the
//! facade.

mod support;

use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of the README's code blocks in a language.
fn blocks(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let fence = format!("```{language}\n");
    let starts = text.split(&fence).skip(1);
    starts.filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

/// The README's commands, without their comments.
fn commands() -> Vec<String> {
    let text = blocks("sh").concat();
    let without_comment = |line: &str| line.split('#').next().unwrap_or(line).trim().to_owned();
    text.lines().map(without_comment).collect()
}

#[test]
fn every_command_is_one_that_is_tested() {
    // The first two are what CI and a newcomer run; the third is a part of the first.
    let elsewhere = [
        "cargo xtask run",
        "cargo xtask test",
        "cargo run --release --example burgers -- --device mode=CPU --insitu examples/insitu/svd.py --output out",
    ];
    let commands = commands();
    assert!(elsewhere.iter().all(|known| commands.iter().any(|command| command == known)), "{commands:?}");
    for command in &commands {
        let tested = command.starts_with("ferrocca ");
        assert!(tested || elsewhere.contains(&command.as_str()), "`{command}` is tested nowhere");
    }
}

#[test]
fn the_commands_of_ferrocca_run() {
    let cache = tempfile::tempdir().unwrap();
    for command in commands().iter().filter(|command| command.starts_with("ferrocca ")) {
        let compiles = command.contains(" compile ") || command.contains(" run ");
        if compiles && !support::has_c_compiler() {
            continue;
        }
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--package", "ferrocca-cli", "--"])
            .args(command.split_whitespace().skip(1))
            .current_dir(root())
            .env("FERROCCA_CACHE_DIR", cache.path())
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{command} prints something");
    }
}

#[test]
fn the_files_that_documents_link_to_are_there() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/stability.md",
        "docs/migration-from-occa.md",
    ];
    for document in documents {
        let path = root().join(document);
        let text = std::fs::read_to_string(&path).unwrap();
        // Every second part of what backticks divide is code.
        let text: String = text.split('`').step_by(2).collect();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let is_file = !link.starts_with("http") && !link.starts_with('#');
            let target = path.parent().unwrap().join(link.split('#').next().unwrap_or(link));
            assert!(!is_file || target.exists(), "{document} links to {link}, which is not there");
        }
    }
}

#[test]
fn the_script_runs() {
    if !support::has_c_compiler() || !support::has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script.py");
    std::fs::write(&script, blocks("python").concat()).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--example", "burgers", "--", "--insitu"])
        .arg(&script)
        .current_dir(root())
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("burgers 256\n") && text.contains("results belong in"), "{text}");
}
