//! Finds the active Python, and what of it can be loaded into this process.
//!
//! The interpreter itself is asked, by a program of a few lines that every Python since 2.6 understands: where
//! libpython, the prefix and the `ferrocca` package lie is its knowledge, and guessing from outside takes the wrong one
//! as soon as a machine has two.

use ferrocca_core::{Error, Result};
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment variable that names the Python to use.
const PYTHON_VARIABLE: &str = "FERROCCA_PYTHON";

/// The oldest Python whose stable ABI has what the extension uses.
const OLDEST: (u32, u32) = (3, 11);

const PROBE: &str = include_str!("probe.py");

/// A Python that can run hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    /// The interpreter's program, which decides the virtual environment.
    pub executable: PathBuf,
    /// Its version.
    pub version: (u32, u32, u32),
    /// Its shared library.
    pub library: PathBuf,
    /// The extension module of the `ferrocca` package that is installed in it.
    pub extension: PathBuf,
}

/// What the probe prints.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Found {
    version: (u32, u32, u32),
    implementation: String,
    executable: String,
    free_threaded: bool,
    libraries: Vec<String>,
    package: Option<String>,
    extension: Option<String>,
}

impl Python {
    /// The active Python: `FERROCCA_PYTHON`, else the virtual environment's (`VIRTUAL_ENV`), else `python3` on `PATH`.
    /// # Errors
    /// As [`at`](Self::at).
    pub fn active() -> Result<Self> {
        let (program, origin) = choose(std::env::var_os(PYTHON_VARIABLE), std::env::var_os("VIRTUAL_ENV"));
        Self::probe(&program, origin)
    }

    /// The directory of its `ferrocca` package.
    pub fn package(&self) -> &Path {
        self.extension.parent().unwrap_or(Path::new(""))
    }

    /// The Python of a program, found on `PATH` when it is a bare name.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] when it does not run, is not CPython 3.11 or newer, has no shared
    /// library, or does not have the `ferrocca` package; the text names the remedy.
    pub fn at(program: impl AsRef<OsStr>) -> Result<Self> {
        Self::probe(program.as_ref(), "the program that was asked for")
    }

    fn probe(program: &OsStr, origin: &str) -> Result<Self> {
        let shown = Path::new(program).display().to_string();
        let output = Command::new(program).args(["-c", PROBE]).stdin(Stdio::null()).output().map_err(|error| {
            Error::invalid(format!(
                "Python is needed to run an in-situ script, and `{shown}` ({origin}) does not start: {error}. Install \
                 Python {}.{} or newer, activate a virtual environment, or set {PYTHON_VARIABLE}",
                OLDEST.0, OLDEST.1
            ))
        })?;
        let text = String::from_utf8_lossy(&output.stdout);
        // The last line: a site customisation may have printed before.
        let found = text.lines().next_back().and_then(|line| serde_json::from_str::<Found>(line).ok());
        match found {
            Some(found) if output.status.success() => found.check(&shown),
            _ => Err(Error::invalid(format!(
                "`{shown}` ({origin}) does not behave like a Python: {}\n{}{}",
                output.status,
                text.trim_end(),
                String::from_utf8_lossy(&output.stderr).trim_end(),
            ))),
        }
    }
}

/// The program to ask, and in words why that one.
fn choose(named: Option<OsString>, environment: Option<OsString>) -> (OsString, &'static str) {
    let set = |value: Option<OsString>| value.filter(|value| !value.is_empty());
    if let Some(program) = set(named) {
        return (program, "FERROCCA_PYTHON");
    }
    if let Some(environment) = set(environment) {
        let program = if cfg!(windows) { r"Scripts\python.exe" } else { "bin/python3" };
        return (Path::new(&environment).join(program).into(), "the active virtual environment");
    }
    (if cfg!(windows) { "python" } else { "python3" }.into(), "the first on PATH")
}

impl Found {
    fn check(self, program: &str) -> Result<Python> {
        let (major, minor, micro) = self.version;
        let about = format!("`{program}` ({} {major}.{minor}.{micro})", self.implementation);
        if (major, minor) < OLDEST {
            return Err(Error::invalid(format!(
                "`{program}` is Python {major}.{minor}.{micro}; in-situ scripts need Python {}.{} or newer: activate \
                 an environment that has one, or set {PYTHON_VARIABLE}",
                OLDEST.0, OLDEST.1
            )));
        }
        if self.implementation != "cpython" {
            return Err(Error::invalid(format!("{about} is not CPython, which in-situ scripts need")));
        }
        if self.free_threaded {
            return Err(Error::invalid(format!(
                "{about} is a free-threaded build, which does not load extensions of the stable ABI: use the \
                 ordinary build of the same version"
            )));
        }
        let Some(library) = self.libraries.first().map(PathBuf::from) else {
            return Err(Error::invalid(format!(
                "{about} has no shared library to load (libpython{major}.{minor}): {}",
                library_remedy(major, minor)
            )));
        };
        let executable = PathBuf::from(&self.executable);
        let Some(extension) = self.extension.map(PathBuf::from) else {
            let state = self.package.map_or_else(
                || "is not installed".to_owned(),
                |place| format!("was found at {place}, without its compiled part: it is not installed"),
            );
            return Err(Error::invalid(format!(
                "the Python package `ferrocca` {state} in {about}: in Ferrocca's source \
                 tree run `{} -m pip install ./crates/insitu-py`, or `cargo xtask run`, which makes an environment with it",
                executable.display()
            )));
        };
        Ok(Python { executable, version: self.version, library, extension })
    }
}

/// How such a Python gets its shared library.
fn library_remedy(major: u32, minor: u32) -> String {
    format!(
        "on Debian and Ubuntu `apt install libpython{major}.{minor}`; with pyenv `PYTHON_CONFIGURE_OPTS=--enable-shared \
         pyenv install {major}.{minor}`; from source configure with `--enable-shared`; conda's and uv's Pythons have it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_wins_over_the_environment_and_that_over_the_path() {
        let program = |named: &str, environment: &str| {
            let (program, _) = choose(Some(named.into()), Some(environment.into()));
            program.to_string_lossy().replace('\\', "/")
        };
        assert_eq!(program("/opt/python3", "/venv"), "/opt/python3");
        assert!(program("", "/venv").starts_with("/venv/"));
        assert!(program("", "").starts_with("python"));
    }

    #[test]
    fn each_python_that_cannot_be_used_is_refused_with_its_remedy() {
        let good = || Found {
            version: (3, 12, 1),
            implementation: "cpython".into(),
            executable: "/venv/bin/python3".into(),
            libraries: vec!["/lib/libpython3.12.so.1.0".into()],
            extension: Some("/venv/ferrocca/_native.abi3.so".into()),
            ..Found::default()
        };
        let refused = |change: &dyn Fn(&mut Found)| {
            let mut found = good();
            change(&mut found);
            found.check("python3").unwrap_err().to_string()
        };
        assert_eq!(good().check("python3").unwrap().version, (3, 12, 1));
        type Case<'a> = (&'a dyn Fn(&mut Found), &'a [&'a str]);
        let cases: [Case<'_>; 6] = [
            (&|f| f.version = (3, 10, 13), &["Python 3.10.13", "3.11 or newer", "FERROCCA_PYTHON"]),
            (&|f| f.implementation = "pypy".into(), &["pypy", "not CPython"]),
            (&|f| f.free_threaded = true, &["free-threaded", "ordinary build"]),
            (&|f| f.libraries.clear(), &["libpython3.12", "--enable-shared", "apt install"]),
            (
                &|f| f.extension = None,
                &["not installed", "/venv/bin/python3 -m pip install ./crates/insitu-py", "cargo xtask"],
            ),
            (&|f| (f.extension, f.package) = (None, Some("/src/ferrocca".into())), &["/src/ferrocca", "compiled part"]),
        ];
        for (change, expected) in cases {
            let text = refused(change);
            for part in expected {
                assert!(text.contains(part), "`{part}` is missing in: {text}");
            }
        }
    }
}
