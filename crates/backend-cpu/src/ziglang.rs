//! The package `ziglang` of a Python as a C compiler of last resort, for machines that have no other: its `zig cc` is clang,
//! with the C library's headers.
//!
//! Invariant: no Python is started to find it. It is looked for where a program has said that it is, in the active virtual
//! environment, and beside the `python3` of `PATH`.

use ferrocca_core::cache::Cache;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Directories of the package that programs have named.
static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The program's file in the package.
const PROGRAM: &str = if cfg!(windows) { "zig.exe" } else { "zig" };

/// The word that makes it a C compiler.
pub(crate) const C_COMPILER: &str = "cc";

/// Says in which directory a Python has its package `ziglang`. It is used on machines without another C compiler.
pub fn add_ziglang(directory: impl Into<PathBuf>) {
    let directory = directory.into();
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    if !named.contains(&directory) {
        named.push(directory);
    }
}

/// Where Pythons keep their packages: the prefix of the active virtual environment, and those of the `python3` in `path`.
pub(crate) fn prefixes(path: &[PathBuf]) -> Vec<PathBuf> {
    let active = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let python = if cfg!(windows) { "python.exe" } else { "python3" };
    let beside = path.iter().filter(|directory| directory.join(python).is_file());
    // On Windows programs lie in the prefix itself, but in `Scripts` in a virtual environment.
    let beside = beside.flat_map(|directory| [directory.parent().map(Path::to_owned), Some(directory.clone())]);
    active.into_iter().chain(beside.flatten()).collect()
}

/// The program, where one of the named directories or of the prefixes has it.
pub(crate) fn find(prefixes: &[PathBuf], is_program: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let named = NAMED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let found = prefixes.iter().flat_map(|prefix| packages(prefix)).map(|packages| packages.join("ziglang"));
    named.into_iter().chain(found).map(|directory| directory.join(PROGRAM)).find(|program| is_program(program))
}

/// The directories of packages below a prefix.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    if cfg!(windows) {
        return vec![prefix.join("Lib").join("site-packages")];
    }
    let versions = std::fs::read_dir(prefix.join("lib")).into_iter().flatten().filter_map(Result::ok);
    let versions = versions
        .map(|entry| entry.path())
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("python3")));
    let mut versions: Vec<PathBuf> = versions.collect();
    versions.sort();
    versions.iter().flat_map(|version| ["site-packages", "dist-packages"].map(|name| version.join(name))).collect()
}

/// Whether a compiler is `zig cc`.
pub(crate) fn is(program: &Path, arguments: &[String]) -> bool {
    program.file_stem().is_some_and(|stem| stem == "zig") && arguments.first().is_some_and(|word| word == C_COMPILER)
}

/// What such a compiler is told besides. With its own C library it would build that first, which takes half a minute; the
/// process that loads a kernel has one. Its checks of undefined behaviour would change no result and need a run-time library.
/// Answers the libraries to link.
pub(crate) fn prepare(command: &mut Command, working: &Path) -> Option<PathBuf> {
    command.args(["-nostdlib", "-fno-sanitize=undefined"]);
    let caches = Cache::open_default().map_or_else(|_| working.to_owned(), |cache| cache.directory().join("zig"));
    command.env("ZIG_GLOBAL_CACHE_DIR", &caches).env("ZIG_LOCAL_CACHE_DIR", &caches);
    math_library()
}

/// The C library's part with `sin` and the others, where it is one of its own. By its file, because without the C library's
/// files for development nothing is found by `-lm`.
fn math_library() -> Option<PathBuf> {
    let of_processor = format!("{}-linux-gnu", std::env::consts::ARCH);
    let directories = ["/lib", "/usr/lib", "/lib64", "/usr/lib64"].map(PathBuf::from);
    let directories = directories.into_iter().flat_map(|directory| [directory.join(&of_processor), directory]);
    directories.map(|directory| directory.join("libm.so.6")).find(|library| library.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_below_a_prefix_and_in_a_named_directory() {
        let prefix = tempfile::tempdir().expect("a directory");
        let package = packages(prefix.path())
            .first()
            .cloned()
            .unwrap_or_else(|| prefix.path().join("lib").join("python3.11").join("site-packages"));
        let program = package.join("ziglang").join(PROGRAM);
        let prefixes = [prefix.path().to_owned()];
        assert_eq!(find(&prefixes, Path::is_file), None);
        std::fs::create_dir_all(program.parent().expect("it has one")).expect("it is made");
        std::fs::write(&program, "").expect("it is written");
        assert_eq!(find(&prefixes, Path::is_file), Some(program.clone()));
        assert_eq!(find(&prefixes, |_| false), None);

        let named = tempfile::tempdir().expect("a directory");
        std::fs::write(named.path().join(PROGRAM), "").expect("it is written");
        assert_eq!(find(&[], |path| path.starts_with(named.path())), None);
        add_ziglang(named.path());
        assert_eq!(find(&[], |path| path.starts_with(named.path())), Some(named.path().join(PROGRAM)));
    }

    #[test]
    fn zig_is_a_c_compiler_by_its_first_word() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(is(Path::new("/x/ziglang/zig"), &words(&["cc"])) && is(Path::new("zig.exe"), &words(&["cc", "-g"])));
        assert!(!is(Path::new("/x/zig"), &[]) && !is(Path::new("/usr/bin/gcc"), &words(&["cc"])));
    }
}
