//! `.venv`: a Python with what the in-situ scripts and tests import, and with the extension built from this tree.
//! Stamp files inside it say what it was made from, so that a second run costs nothing.

use crate::process::{Result, check, output, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

/// The oldest Python whose stable ABI has the buffer protocol.
const OLDEST: (u32, u32) = (3, 11);

/// Where the extension's sources are, from the root.
const EXTENSION_SOURCES: [&str; 15] = [
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "crates/okl",
    "crates/core",
    "crates/backend-cpu",
    "crates/backend-cuda",
    "crates/backend-opencl",
    "crates/backend-reference",
    "crates/backend-wgpu",
    "crates/insitu",
    "crates/macros",
    "crates/insitu-py",
    "crates/primitives",
    "crates/burgers",
];

/// A virtual environment.
pub(crate) struct Environment {
    directory: PathBuf,
}

impl Environment {
    /// `.venv` with its requirements, among which is what builds the extension.
    pub(crate) fn tools() -> Result<Self> {
        let environment = Self { directory: root().join(".venv") };
        environment.install_requirements("requirements")?;
        Ok(environment)
    }

    /// `.venv` with its requirements and the extension.
    pub(crate) fn prepare() -> Result<Self> {
        let environment = Self::tools()?;
        environment.install_extension()?;
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

    fn install_extension(&self) -> Result {
        let stamp = self.directory.join("extension.stamp");
        let sources = fingerprint(&EXTENSION_SOURCES.map(|path| root().join(path)))?;
        if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == sources) {
            return Ok(());
        }
        let manifest = root().join("crates/insitu-py/Cargo.toml");
        check(self.program("maturin").args(["develop", "--release", "--quiet", "--manifest-path"]).arg(manifest))?;
        fs::write(&stamp, sources).map_err(|error| format!("{}: {error}", stamp.display()))
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

/// Names, sizes and times of all files below `paths`, one a line: it differs when any of them was touched.
fn fingerprint(paths: &[PathBuf]) -> Result<String> {
    let mut lines = Vec::new();
    for path in paths {
        visit(path, &mut lines).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    lines.sort();
    Ok(lines.join("\n"))
}

fn visit(path: &Path, lines: &mut Vec<String>) -> std::io::Result<()> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?.path();
            if entry.file_name().is_some_and(|name| name != "__pycache__" && name != "target") {
                visit(&entry, lines)?;
            }
        }
        return Ok(());
    }
    // What maturin itself puts beside the sources is no source.
    let built = path.extension().is_some_and(|extension| extension == "so" || extension == "pyd");
    if !built {
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        lines.push(format!("{} {} {modified}", path.display(), metadata.len()));
    }
    Ok(())
}
