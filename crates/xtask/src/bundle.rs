//! `cargo xtask bundle`: everything that runs, in one folder, for a machine that has no Rust and no network.
//!
//! The folder holds `run.sh` and one archive: the test programs, the benchmarks, `burgers` and `ferrocca`, all stripped;
//! the Python package's wheel; and the tracked sources, among which tests, scripts and the benchmarks' peers find their
//! files. A test finds them through the `CARGO_MANIFEST_DIR` of its run time, which cargo sets and `run.sh` sets likewise.
//!
//! Invariant: what is packed is what `cargo test --release`, `cargo bench` and the wheel's users run, not a build of
//! its own. Not here: doc tests, and tests that call cargo or rustc; `run.sh` says which.

use crate::process::{Result, cargo, check, messages, output, root};
use crate::python::Environment;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a bundle may weigh, so that it passes where uploads are limited.
const MOST_MIB: f64 = 60.0;

/// Tests that run cargo or rustc, and would fail where there is none: package (by its directory) and test.
const NEED_RUST: [(&str, &str); 3] = [("core", "compile_fail"), ("ferrocca", "arrows"), ("ferrocca", "readme")];

/// Directory of the package whose tests are of use in the checkout only.
const CHORES: &str = "crates/xtask";

const SCRIPT: &str = "crates/xtask/bundle/run.sh";
const PACK: &str = "crates/xtask/bundle/pack.py";
const ARCHIVE: &str = "contents.tar.xz";

const TESTS: &str = "tests";
const BENCHES: &str = "benches";
const PROGRAMS: &str = "bin";

/// A program that cargo has built.
struct Program {
    /// The folder of the bundle where it goes.
    place: &'static str,
    /// Directory of its package, relative to the root; `.` is the root's own.
    package: String,
    /// `okl.filetests`, `okl.unit`, `burgers`: unique in its place.
    name: String,
    file: PathBuf,
}

/// Builds and packs into `directory`, or `target/bundle`.
pub(crate) fn bundle(directory: Option<&Path>) -> Result {
    let destination = directory.map_or_else(|| root().join("target/bundle"), |path| root().join(path));
    let contents = root().join("target/bundle-contents");
    clear(&contents)?;
    require_strip()?;
    let environment = Environment::prepare()?;

    let (programs, left_out) = programs()?;
    for program in &programs {
        place(program, &contents)?;
    }
    let wheel = contents.join("wheel");
    let mut maturin = environment.program("maturin");
    maturin.args(["build", "--release", "--quiet", "--manifest-path", "crates/insitu-py/Cargo.toml", "--out"]);
    check(maturin.arg(&wheel))?;
    let source = contents.join("source");
    sources()?.iter().try_for_each(|file| copy(&root().join(file), &source.join(file)))?;
    write(&contents.join("programs.tsv"), &table(&programs))?;
    write(&contents.join("left-out.txt"), &left_out)?;

    fs::create_dir_all(&destination).map_err(at(&destination))?;
    // Packed and unpacked by Python, because it is there on both sides; `xz` need not be.
    let mut pack = environment.program("python");
    pack.arg(root().join(PACK)).arg(destination.join(ARCHIVE)).current_dir(&contents);
    check(pack.args([PROGRAMS, TESTS, BENCHES, "wheel", "source", "programs.tsv", "left-out.txt"]))?;
    copy(&root().join(SCRIPT), &destination.join("run.sh"))?;
    clear(&contents)?;
    report(&destination, &programs)
}

/// Everything that is to be packed, and one line for everything that is not.
fn programs() -> Result<(Vec<Program>, String)> {
    let built = "--no-run --quiet --message-format=json-render-diagnostics";
    let mut found = messages(&mut cargo(&format!("test --release {built}")))?;
    // The root package has all of the benchmarks.
    found.extend(messages(&mut cargo(&format!("bench --package ferrocca {built}")))?);
    let mut programs: Vec<Program> = found.iter().filter_map(Program::of).collect();
    programs.retain(|program| program.package != CHORES);

    let mut left_out = "documentation tests: they need rustdoc\n".to_owned();
    for (package, test) in NEED_RUST {
        let name = format!("{package}.{test}");
        let before = programs.len();
        programs.retain(|program| program.name != name);
        if programs.len() == before {
            return Err(format!(
                "the test {name} is listed as one that needs cargo or rustc, and there is no such test"
            ));
        }
        left_out += &format!("{name}: it runs cargo or rustc\n");
    }
    for name in ["burgers", "ferrocca"] {
        if !programs.iter().any(|program| program.place == PROGRAMS && program.name == name) {
            return Err(format!("cargo has not built the program {name}"));
        }
    }
    Ok((programs, left_out))
}

impl Program {
    /// The program that a message of cargo's tells of, where it does.
    fn of(message: &Value) -> Option<Self> {
        let file = PathBuf::from(message["executable"].as_str()?);
        let target = &message["target"];
        let (kind, target) = (target["kind"][0].as_str()?, target["name"].as_str()?);
        let package = Path::new(message["manifest_path"].as_str()?).parent()?.strip_prefix(root()).ok()?.to_str()?;
        let package = if package.is_empty() { "." } else { package };
        let of_package = if package == "." { "ferrocca" } else { package.rsplit('/').next()? };
        let is_test = message["profile"]["test"].as_bool()?;
        let (place, name) = match kind {
            "bench" => (BENCHES, target.to_owned()),
            "test" => (TESTS, format!("{of_package}.{target}")),
            "lib" if is_test => (TESTS, format!("{of_package}.unit")),
            _ if is_test => (TESTS, format!("{of_package}.unit-{target}")),
            "bin" | "example" => (PROGRAMS, target.to_owned()),
            _ => return None,
        };
        Some(Self { place, package: package.to_owned(), name, file })
    }
}

/// Copies a program without what only a debugger reads.
fn place(program: &Program, contents: &Path) -> Result {
    let directory = contents.join(program.place);
    fs::create_dir_all(&directory).map_err(at(&directory))?;
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(directory.join(&program.name)).arg(&program.file);
    output(&mut strip).map(drop).ok_or_else(|| format!("`strip {}` failed", program.file.display()))
}

/// One line a program: its place in the bundle, its name, its package's directory.
fn table(programs: &[Program]) -> String {
    let line = |program: &Program| format!("{}\t{}\t{}\n", program.place, program.name, program.package);
    let mut lines: Vec<String> = programs.iter().map(line).collect();
    lines.sort();
    lines.concat()
}

/// Every file that git tracks or would, relative to the root.
fn sources() -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let files = output(&mut git).ok_or("`git ls-files` failed: a bundle can only be made in a git checkout")?;
    // A file that was deleted may still be one for git.
    Ok(files.split('\0').filter(|file| root().join(file).is_file()).map(str::to_owned).collect())
}

fn copy(from: &Path, to: &Path) -> Result {
    let failed = |error: std::io::Error| format!("copying {} to {}: {error}", from.display(), to.display());
    if let Some(directory) = to.parent() {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    fs::copy(from, to).map(|_| ()).map_err(failed)
}

fn write(path: &Path, text: &str) -> Result {
    fs::write(path, text).map_err(at(path))
}

/// The message of what went wrong with a file.
fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn clear(directory: &Path) -> Result {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(directory)(error)),
        _ => Ok(()),
    }
}

fn require_strip() -> Result {
    let message = "`strip` is needed: on Debian and Ubuntu `apt install binutils`";
    output(Command::new("strip").arg("--version")).map(drop).ok_or_else(|| message.to_owned())
}

/// What is in the bundle and what it weighs; too much is an error.
fn report(destination: &Path, programs: &[Program]) -> Result {
    let mut bytes = 0;
    for file in [ARCHIVE, "run.sh"].map(|name| destination.join(name)) {
        bytes += fs::metadata(&file).map_err(at(&file))?.len();
    }
    let mib = bytes as f64 / f64::from(1 << 20);
    let count = |place: &str| programs.iter().filter(|program| program.place == place).count();
    println!(
        "{}: {mib:.1} MiB, {} tests, {} benchmarks; `run.sh --help` says what it runs",
        destination.display(),
        count(TESTS),
        count(BENCHES)
    );
    if mib > MOST_MIB {
        return Err(format!("the bundle has {mib:.1} MiB; at most {MOST_MIB} are allowed"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(kind: &str, target: &str, directory: &str, is_test: bool) -> Option<(String, String, String)> {
        let message = serde_json::json!({
            "executable": "/built/here",
            "target": { "kind": [kind], "name": target },
            "manifest_path": root().join(directory).join("Cargo.toml"),
            "profile": { "test": is_test },
        });
        Program::of(&message).map(|program| (program.place.to_owned(), program.name, program.package))
    }

    #[test]
    fn every_kind_of_program_has_its_place_and_name() {
        let cases = [
            (("test", "filetests", "crates/okl", true), Some(("tests", "okl.filetests", "crates/okl"))),
            (("lib", "okl", "crates/okl", true), Some(("tests", "okl.unit", "crates/okl"))),
            (("bin", "ferrocca", "crates/cli", true), Some(("tests", "cli.unit-ferrocca", "crates/cli"))),
            (("bin", "ferrocca", "crates/cli", false), Some(("bin", "ferrocca", "crates/cli"))),
            (("example", "burgers", "", false), Some(("bin", "burgers", "."))),
            (("test", "conformance", "", true), Some(("tests", "ferrocca.conformance", "."))),
            (("bench", "cuda", "", true), Some(("benches", "cuda", "."))),
            (("custom-build", "build-script-build", "crates/okl", false), None),
        ];
        for ((kind, target, directory, is_test), expected) in cases {
            let expected =
                expected.map(|(place, name, package)| (place.to_owned(), name.to_owned(), package.to_owned()));
            assert_eq!(program(kind, target, directory, is_test), expected, "{kind} {target}");
        }
    }

    #[test]
    fn tests_find_their_files_where_they_run() {
        let Ok(sources) = sources() else {
            return println!("skipped: this is no checkout");
        };
        let (built, run) = (r#"env!("CARGO_MANIFEST_DIR")"#, r#"var_os("CARGO_MANIFEST_DIR")"#);
        for file in sources.iter().filter(|file| file.ends_with(".rs") && !file.starts_with(CHORES)) {
            let needs_rust = NEED_RUST.iter().any(|(_, test)| file.ends_with(&format!("tests/{test}.rs")));
            let is_packed = !needs_rust && !file.starts_with("examples/");
            let text = fs::read_to_string(root().join(file)).unwrap();
            let alone = text.contains(built) && !text.contains(run);
            assert!(
                !(is_packed && alone),
                "{file}: {built} is where it was built; a bundle runs elsewhere, ask {run} first"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_script_is_valid_and_says_what_it_runs() {
        let script = root().join(SCRIPT);
        let run = |arguments: &[&str]| Command::new("bash").arg(&script).args(arguments).output().expect("bash starts");
        assert!(Command::new("bash").arg("-n").arg(&script).status().expect("bash starts").success());
        let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
        let list = run(&["--list"]);
        let list = String::from_utf8(list.stdout).unwrap();
        let parts: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
        for part in ["info", "conformance", "tests", "sanitizer", "python", "insitu", "benches"] {
            assert!(parts.contains(&part), "{list}");
            assert!(help.contains(part), "{help}");
        }
        for (arguments, expected) in [
            (&["everything"][..], "everything"),
            (&["--logs"], "--logs"),
            (&["--limit", "soon", "info"], "soon"),
            (&[], "usage"),
        ] {
            let outcome = run(arguments);
            assert_eq!(outcome.status.code(), Some(2), "{arguments:?}");
            let text = String::from_utf8(outcome.stderr).unwrap();
            assert!(text.contains(expected), "{arguments:?}: {text}");
        }
    }
}
