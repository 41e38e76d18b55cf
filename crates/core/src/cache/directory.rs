//! Where the cache lies: `FERROCCA_CACHE_DIR`, else the platform's cache directory, else one of the user's own in the
//! system's temporary directory.

use crate::{Error, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Name of the environment variable that names the cache directory.
pub const CACHE_DIR_VARIABLE: &str = "FERROCCA_CACHE_DIR";

/// The cache directory of this user; nothing is created, except where there is no home and the temporary directory
/// stands in for it.
/// # Errors
/// [`crate::ErrorKind::Invalid`] when the stand-in could have been made, or could be written, by somebody else.
pub fn default_directory() -> Result<PathBuf> {
    match from_environment(|name| std::env::var_os(name)) {
        Some(path) => Ok(path),
        None => private_temporary(&std::env::temp_dir()),
    }
}

/// A directory of this user alone in the system's temporary one, for what must not outlive a process. What a process that
/// died has left in it is removed after a day, when another one calls this.
/// # Errors
/// [`crate::ErrorKind::Invalid`] when somebody else has made it, or can write it; [`crate::ErrorKind::Io`].
pub fn temporary_directory() -> Result<PathBuf> {
    let path = private_temporary(&std::env::temp_dir())?.join("working");
    super::files::create_directories(&path).map_err(|error| Error::io(&path, &error))?;
    super::files::remove_stale(&path);
    Ok(path)
}

/// What the environment says; `get` reads a variable.
fn from_environment(get: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The base directories of the platforms must be absolute; a relative one is to be ignored (XDG says so).
    let base = |name: &str| set(name).filter(|path| path.is_absolute());
    if let Some(own) = set(CACHE_DIR_VARIABLE) {
        return Some(own);
    }
    if cfg!(windows) {
        return base("LOCALAPPDATA").map(|path| path.join("ferrocca").join("cache"));
    }
    if cfg!(target_os = "macos") {
        return base("HOME").map(|path| path.join("Library").join("Caches").join("ferrocca"));
    }
    base("XDG_CACHE_HOME").or_else(|| base("HOME").map(|path| path.join(".cache"))).map(|path| path.join("ferrocca"))
}

/// A directory in `temporary` that only this user can write. Kernels in it are executed, so one that somebody else
/// has put there must not be used.
#[cfg(unix)]
fn private_temporary(temporary: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    let user = rustix::process::geteuid().as_raw();
    let path = temporary.join(format!("ferrocca-{user}"));
    match std::fs::DirBuilder::new().mode(0o700).create(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(Error::io(&path, &error));
        }
        _ => {}
    }
    let found = std::fs::symlink_metadata(&path).map_err(|error| Error::io(&path, &error))?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o022 != 0 {
        return Err(Error::invalid(format!(
            "the cache directory {} is not this user's alone: set {CACHE_DIR_VARIABLE} to another one",
            path.display()
        )));
    }
    Ok(path)
}

/// The temporary directory of other systems is the user's own already.
#[cfg(not(unix))]
fn private_temporary(temporary: &Path) -> Result<PathBuf> {
    Ok(temporary.join("ferrocca"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn the_environment_decides() {
        type Variables = &'static [(&'static str, &'static str)];
        let cases: &[(Variables, Option<&str>)] = &[
            (&[("FERROCCA_CACHE_DIR", "rel"), ("HOME", "/h")], Some("rel")),
            (&[("FERROCCA_CACHE_DIR", ""), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], Some("/x/ferrocca")),
            (&[("XDG_CACHE_HOME", "rel"), ("HOME", "/h")], Some("/h/.cache/ferrocca")),
            (&[("HOME", "/h")], Some("/h/.cache/ferrocca")),
            (&[("HOME", "")], None),
            (&[], None),
        ];
        for (variables, expected) in cases {
            let get = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value));
            assert_eq!(from_environment(get), expected.map(PathBuf::from), "{variables:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_stand_in_must_be_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let temporary = tempfile::tempdir().unwrap();
        let path = private_temporary(temporary.path()).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(private_temporary(temporary.path()).unwrap(), path);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        let error = private_temporary(temporary.path()).unwrap_err().to_string();
        assert!(error.contains("is not this user's alone: set FERROCCA_CACHE_DIR"), "{error}");
        std::fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink("/tmp", &path).unwrap();
        assert!(private_temporary(temporary.path()).is_err(), "a link that somebody laid there is not followed");
    }
}
