//! Where NVRTC lies: in the CUDA toolkit, on the dynamic loader's path, or in the active Python environment.
//!
//! Finding reads directories and loads nothing, because a kernel that the cache has needs no compiler: the library's
//! version is read from the file names that every distribution of it has, and its file's size and time stand for its
//! contents in cache keys.

use crate::error;
use ferrocca_core::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// An NVRTC that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its path.
    pub(crate) path: PathBuf,
    /// Major and minor version.
    pub(crate) version: (u32, u32),
}

impl Found {
    /// What stands for its contents in a cache key.
    pub(crate) fn stamp(&self) -> Result<String> {
        let failed = |e| error::compiler(format!("{}: {e}", self.path.display()));
        let path = self.path.canonicalize().map_err(failed)?;
        let metadata = path.metadata().map_err(failed)?;
        let time = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |t| t.as_nanos());
        let ((major, minor), bytes) = (self.version, metadata.len());
        Ok(format!("{major}.{minor} {} {bytes} {time}", path.display()))
    }
}

/// The first NVRTC whose binaries a driver for CUDA `driver` loads; `named` is the only one that is looked at, where it
/// is given.
/// # Errors
/// [`ferrocca_core::ErrorKind::Compiler`]: where it was looked for and how to install it, or which versions do not fit.
pub(crate) fn find(named: Option<&str>, driver: (u32, u32)) -> Result<Found> {
    if let Some(named) = named {
        let path = PathBuf::from(named);
        let found = inspect(&path).ok_or_else(|| error::compiler(format!("`{named}` is not an NVRTC library")))?;
        return if fits(&found, driver) { Ok(found) } else { Err(too_new(&[found], driver)) };
    }
    static INSTALLED: OnceLock<Vec<Found>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| search(&near_directories()));
    if let Some(found) = installed.iter().find(|found| fits(found, driver)) {
        return Ok(found.clone());
    }
    // Asking Python costs some twenty milliseconds, and is needed where no virtual environment is named.
    static OF_PYTHON: OnceLock<Vec<Found>> = OnceLock::new();
    let of_python = OF_PYTHON.get_or_init(|| search(&python_directories()));
    choose(&[&installed[..], &of_python[..]].concat(), driver)
}

/// The first that fits.
fn choose(found: &[Found], driver: (u32, u32)) -> Result<Found> {
    match found.iter().find(|found| fits(found, driver)) {
        Some(found) => Ok(found.clone()),
        None if found.is_empty() => Err(error::compiler(
            "NVRTC, which compiles kernels for CUDA, was not found in CUDA_HOME, CUDA_PATH, /usr/local/cuda, the dynamic \
             loader's path or the active Python environment; install the CUDA toolkit, or `pip install \
             nvidia-cuda-nvrtc`, or name the library with the device property `nvrtc`",
        )),
        None => Err(too_new(found, driver)),
    }
}

/// A driver loads binaries of its own major version, whatever the minor one, and of all before it.
fn fits(found: &Found, driver: (u32, u32)) -> bool {
    found.version.0 <= driver.0
}

fn too_new(found: &[Found], driver: (u32, u32)) -> Error {
    let list: Vec<_> =
        found.iter().map(|f| format!("NVRTC {}.{} ({})", f.version.0, f.version.1, f.path.display())).collect();
    error::compiler(format!(
        "the driver is for CUDA {}.{} and cannot load what a newer NVRTC compiles, and there is only {}: update the \
         driver, or install NVRTC {} (`pip install 'nvidia-cuda-nvrtc{}'`)",
        driver.0,
        driver.1,
        list.join(", "),
        driver.0,
        if driver.0 < 13 { format!("-cu{}", driver.0) } else { format!("<{}", driver.0 + 1) }
    ))
}

/// Directories of the toolkit, of the dynamic loader, and of a Python environment that the process's environment names.
fn near_directories() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let toolkits = [variable("CUDA_HOME"), variable("CUDA_PATH"), Some("/usr/local/cuda".into())];
    let below = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "bin", "bin/x64"];
    let mut directories: Vec<PathBuf> =
        toolkits.into_iter().flatten().flat_map(|root| below.map(|directory| root.join(directory))).collect();
    let path = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
    if let Some(listed) = std::env::var_os(path) {
        directories.extend(std::env::split_paths(&listed).filter(|p| p.is_absolute()));
    }
    let system =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];
    directories.extend(system.map(PathBuf::from));
    for environment in [variable("VIRTUAL_ENV"), variable("CONDA_PREFIX")].into_iter().flatten() {
        directories.push(environment.join("lib"));
        let pythons = subdirectories(&environment.join("lib"));
        let sites = pythons.into_iter().map(|python| python.join("site-packages"));
        sites.chain([environment.join("Lib/site-packages")]).for_each(|site| directories.extend(packages(&site)));
    }
    directories
}

/// The same below the packages that the active `python3` imports from.
fn python_directories() -> Vec<PathBuf> {
    let script = "import site, sysconfig\n\
                  print(sysconfig.get_paths()['purelib'])\n\
                  print(sysconfig.get_paths()['platlib'])\n\
                  print('\\n'.join(site.getsitepackages()))\n\
                  print(site.getusersitepackages())";
    let output = Command::new("python3").args(["-c", script]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let Ok(output) = output else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| !line.is_empty()).flat_map(|site| packages(Path::new(site))).collect()
}

/// `nvidia/cuda_nvrtc/lib` (CUDA 12), `nvidia/cu13/lib` and their like.
fn packages(site: &Path) -> Vec<PathBuf> {
    let below = |package: PathBuf| [package.join("lib"), package.join("bin")];
    subdirectories(&site.join("nvidia")).into_iter().flat_map(below).collect()
}

fn subdirectories(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    // A directory's order is no order.
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

/// Every NVRTC of the directories, in their order, the newest of a directory first.
fn search(directories: &[PathBuf]) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for directory in directories {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut here: Vec<Found> = entries.filter_map(|entry| inspect(&entry.path())).collect();
        here.sort_by(|a, b| (b.version, &a.path).cmp(&(a.version, &b.path)));
        for found in here {
            if !all.contains(&found) {
                all.push(found);
            }
        }
    }
    all
}

/// What a path's names say, when it is an NVRTC.
fn inspect(path: &Path) -> Option<Found> {
    let name = path.file_name()?.to_str()?;
    if !(name.starts_with("libnvrtc.so") || name.starts_with("nvrtc64_")) || !path.is_file() {
        return None;
    }
    let real = path.canonicalize().ok()?;
    let version = version_of(real.file_name()?.to_str()?).or_else(|| version_of_builtins(real.parent()?))?;
    Some(Found { path: path.to_owned(), version })
}

/// `libnvrtc.so.12.9.86` or `nvrtc64_120_0.dll`; `None` where there is no minor version in the name.
fn version_of(name: &str) -> Option<(u32, u32)> {
    if let Some(rest) = name.strip_prefix("libnvrtc.so.") {
        let mut parts = rest.split('.').map(str::parse);
        return Some((parts.next()?.ok()?, parts.next()?.ok()?));
    }
    let digits = name.strip_prefix("nvrtc64_")?.split('_').next()?;
    let number: u32 = digits.parse().ok()?;
    Some((number / 10, number % 10))
}

/// From the library that lies beside it, whose name has both numbers: `libnvrtc-builtins.so.13.0`.
fn version_of_builtins(directory: &Path) -> Option<(u32, u32)> {
    let entries = std::fs::read_dir(directory).ok()?.flatten();
    let versions = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let mut parts = name.strip_prefix("libnvrtc-builtins.so.")?.split('.').map(str::parse);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        for file in files {
            let path = directory.path().join(file);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
            std::fs::write(path, b"").expect("a file");
        }
        directory
    }

    #[test]
    fn versions_are_in_the_names_of_every_layout() {
        type Case = (&'static [&'static str], &'static str, Option<(u32, u32)>);
        let cases: &[Case] = &[
            (&["libnvrtc.so.12.9.86"], "libnvrtc.so.12.9.86", Some((12, 9))),
            (&["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"], "libnvrtc.so.13", Some((13, 0))),
            (
                &["libnvrtc.so.12", "libnvrtc-builtins.alt.so.12.9", "libnvrtc-builtins.so.12.9"],
                "libnvrtc.so.12",
                Some((12, 9)),
            ),
            (&["nvrtc64_120_0.dll"], "nvrtc64_120_0.dll", Some((12, 0))),
            (&["libnvrtc.so.13"], "libnvrtc.so.13", None),
            (&["libnvrtc-builtins.so.13.0"], "libnvrtc-builtins.so.13.0", None),
            (&["libnvrtc.alt.so.12", "libnvrtc-builtins.so.12.9"], "libnvrtc.alt.so.12", None),
        ];
        for (files, name, expected) in cases {
            let directory = place(files);
            let found = inspect(&directory.path().join(name));
            assert_eq!(found.map(|found| found.version), *expected, "{name} beside {files:?}");
        }
    }

    #[test]
    fn both_layouts_of_python_packages_are_searched() {
        let site = place(&[
            "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            "nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9",
            "nvidia/cu13/lib/libnvrtc.so.13",
            "nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
            "nvidia/cublas/lib/libcublas.so.12",
        ]);
        let versions: Vec<_> = search(&packages(site.path())).iter().map(|found| found.version).collect();
        assert_eq!(versions, [(12, 9), (13, 0)]);
    }

    #[test]
    fn the_first_that_the_driver_loads_is_taken() {
        let found = |major, minor| Found { path: format!("/{major}/libnvrtc.so").into(), version: (major, minor) };
        let all = [found(13, 5), found(12, 9), found(12, 4)];
        assert_eq!(choose(&all, (13, 0)).expect("one fits").version, (13, 5), "a newer minor version is no hindrance");
        assert_eq!(choose(&all, (12, 2)).expect("one fits").version, (12, 9));
        let refused = choose(&all[..1], (12, 8)).expect_err("none fits").to_string();
        assert!(refused.contains("CUDA 12.8") && refused.contains("NVRTC 13.5 (/13/libnvrtc.so)"), "{refused}");
        assert!(refused.contains("nvidia-cuda-nvrtc-cu12"), "{refused}");
        let none = choose(&[], (13, 0)).expect_err("there is none").to_string();
        assert!(none.contains("CUDA_HOME") && none.contains("pip install nvidia-cuda-nvrtc"), "{none}");
    }
}
