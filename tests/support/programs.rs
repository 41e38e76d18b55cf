//! The programs that tests start.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The example `burgers`: that of `FERROCCA_BURGERS`, else built here.
pub(crate) fn burgers() -> PathBuf {
    program("FERROCCA_BURGERS", "examples/burgers")
}

/// The command `ferrocca`: that of `FERROCCA_COMMAND`, else built here.
pub(crate) fn ferrocca() -> PathBuf {
    program("FERROCCA_COMMAND", "ferrocca")
}

fn program(variable: &str, file: &str) -> PathBuf {
    if let Some(program) = std::env::var_os(variable) {
        return program.into();
    }
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        // Both at once: the command by itself would get other features than the tests, and everything would be compiled
        // again.
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "ferrocca-cli", "--bin", "ferrocca"]);
        build.args(["--package", "ferrocca", "--example", "burgers"]).current_dir(super::package_directory());
        // …/target/PROFILE/deps/this_test
        let test = std::env::current_exe().expect("a test knows its file");
        let directory = test.ancestors().nth(2).expect("a profile's directory");
        if directory.file_name().is_some_and(|name| name == "release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo starts").success(), "the programs build");
        directory.to_owned()
    });
    directory.join(format!("{file}{}", std::env::consts::EXE_SUFFIX))
}
