//! `.venv`: a Python with what the in-situ scripts and tests import, and with the package of this tree.
//! Stamp files inside it say what it was made from, so that a second run costs nothing.
//!
//! The extension is built together with the programs, by one call of cargo: by itself it would get other features of the
//! crates that both need, and these would be compiled twice.

use crate::process::{Result, cargo, check, messages, output, root};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Python whose stable ABI has the buffer protocol.
const OLDEST: (u32, u32) = (3, 11);

/// A virtual environment.
pub(crate) struct Environment {
    directory: PathBuf,
}

impl Environment {
    /// `.venv` with its requirements.
    pub(crate) fn prepare() -> Result<Self> {
        let environment = Self { directory: root().join(".venv") };
        environment.install_requirements("requirements")?;
        Ok(environment)
    }

    /// A new environment in `directory` that has this package and nothing else.
    pub(crate) fn of_package(directory: PathBuf, package: &Path) -> Result<Self> {
        check(Command::new(find_python()?).args(["-m", "venv", "--clear"]).arg(&directory))?;
        let environment = Self { directory };
        let mut pip = environment.program("python");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]);
        check(pip.arg(package))?;
        Ok(environment)
    }

    /// Adds what tests alone need.
    pub(crate) fn add_test_requirements(&self) -> Result {
        self.install_requirements("requirements-test")
    }

    /// Whether a package is installed.
    pub(crate) fn has(&self, package: &str) -> bool {
        let script = "import importlib.metadata, sys; importlib.metadata.version(sys.argv[1])";
        output(self.program("python").args(["-c", script, package])).is_some()
    }

    /// A program of the environment.
    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.binaries().join(name));
        command.current_dir(root());
        self.activate(&mut command);
        command
    }

    /// Makes the environment the active one for a program: `python3` is then its Python.
    pub(crate) fn activate(&self, command: &mut Command) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.binaries()).chain(std::env::split_paths(&path));
        if let Ok(joined) = std::env::join_paths(paths) {
            command.env("PATH", joined);
        }
        command.env("VIRTUAL_ENV", &self.directory).env_remove("PYTHONHOME");
    }

    /// Leaves a program of the environment nothing else on `PATH`, and no compiler by name: what a user without one has.
    pub(crate) fn hide_the_rest(&self, command: &mut Command) {
        command.env("PATH", self.binaries()).env_remove("CC");
    }

    fn binaries(&self) -> PathBuf {
        self.directory.join(if cfg!(windows) { "Scripts" } else { "bin" })
    }

    /// Installs what the file `NAME.txt` lists; makes the environment anew where it does not work.
    fn install_requirements(&self, name: &str) -> Result {
        let requirements = root().join(format!("{name}.txt"));
        let wanted = fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
        let stamp = self.directory.join(format!("{name}.stamp"));
        let works = output(self.program("python").arg("--version")).is_some();
        if works && fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
            return Ok(());
        }
        if !works {
            let python = find_python()?;
            check(Command::new(&python).args(["-m", "venv", "--clear"]).arg(&self.directory)).map_err(|error| {
                format!("{error}\nPython's `venv` module is needed: on Debian and Ubuntu `apt install python3-venv`")
            })?;
        }
        let mut pip = self.program("python");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&requirements);
        check(&mut pip).map_err(|error| format!("{error}\nA package index must be reachable for the first run"))?;
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
    }

    /// `cargo` with this environment, for builds that the extension may be a part of.
    pub(crate) fn cargo(&self, arguments: &str) -> Command {
        let mut command = cargo(arguments);
        self.activate(&mut command);
        // An extension takes Python's symbols from the program that loads it.
        command.env("PYO3_BUILD_EXTENSION_MODULE", "1");
        command
    }

    /// Builds what `arguments` of `cargo build` name, the extension among them, and installs the package in place: its
    /// Python files are those of the tree. Returns cargo's messages.
    pub(crate) fn build(&self, arguments: &str) -> Result<Vec<Value>> {
        let mut build = self.cargo(&format!("build {arguments} --message-format json-render-diagnostics"));
        let built = messages(&mut build)?;
        let libraries = built.iter().filter(|message| message["target"]["name"] == "_native");
        let mut files = libraries.filter_map(|message| message["filenames"][0].as_str());
        let library = files.next_back().ok_or("cargo has not built the Python extension")?;

        let sources = root().join("crates/insitu-py/python");
        let extension = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
        let (installed, partial) = (sources.join("ferrocca").join(extension), sources.join("ferrocca/_native.partial"));
        // A program that has loaded the old one keeps it.
        let replaced = fs::copy(library, &partial).and_then(|_| fs::rename(&partial, &installed));
        replaced.map_err(|error| format!("{}: {error}", installed.display()))?;

        let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let packages =
            output(self.program("python").args(["-c", script])).ok_or("Python does not know its packages")?;
        let link = PathBuf::from(packages).join("ferrocca.pth");
        let line = format!("{}\n", sources.display());
        fs::write(&link, line).map_err(|error| format!("{}: {error}", link.display()))?;
        Ok(built)
    }
}

/// The active Python, when it is new enough.
fn find_python() -> Result<String> {
    let candidates = if cfg!(windows) { ["python", "py"] } else { ["python3", "python"] };
    let mut found = Vec::new();
    for name in candidates {
        let script = "import sys; print(*sys.version_info[:2])";
        let Some(version) = output(Command::new(name).args(["-c", script])) else {
            continue;
        };
        let mut numbers = version.split(' ').map(str::parse::<u32>);
        if let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) {
            if (major, minor) >= OLDEST {
                return Ok(name.to_owned());
            }
            found.push(format!("`{name}` is {major}.{minor}"));
        }
    }
    let found = if found.is_empty() { "there is none".to_owned() } else { found.join(", ") };
    Err(format!("Python {}.{} or newer is needed; {found}", OLDEST.0, OLDEST.1))
}
