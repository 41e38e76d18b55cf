//! Whose files the cache reads. Kernels are executed, so that a file is used only where nobody but this user and the
//! superuser can have written it: each directory on the way to it, and the file itself, belongs to one of the two and
//! cannot be written by others. In a directory with the sticky bit others can add, but not replace.
//! Invariant: what is judged is what is read: files are opened once, below directories that are open already.
//! Not here: the directories above the cache's own, and systems without owners of files.

use std::fmt;
use std::path::Path;

/// Why something is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distrust(String);

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The file at `relative` below `root`; `None` where there is none that can be read.
#[cfg(unix)]
pub(super) fn read(root: &Path, relative: &Path) -> Result<Option<Vec<u8>>, Distrust> {
    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
    use std::io::Read as _;
    let mut path = root.to_path_buf();
    // The root itself may be a link, because it is the user who names it. A pipe must not block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let Ok(directory) = openat(CWD, root, flags | OFlags::DIRECTORY, Mode::empty()) else {
        return Ok(None);
    };
    let mut file = std::fs::File::from(directory);
    for name in relative {
        if let Ok(metadata) = file.metadata() {
            judge(&path, &metadata)?;
        }
        path.push(name);
        file = match openat(&file, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(inner) => inner.into(),
            Err(_) => {
                let found = statat(&file, name, AtFlags::SYMLINK_NOFOLLOW);
                let is_link = found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink());
                return if is_link { Err(link(&path)) } else { Ok(None) };
            }
        };
    }
    let Some(metadata) = file.metadata().ok().filter(std::fs::Metadata::is_file) else {
        return Ok(None);
    };
    judge(&path, &metadata)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    Ok(file.read_to_end(&mut bytes).ok().map(|_| bytes))
}

#[cfg(not(unix))]
pub(super) fn read(root: &Path, relative: &Path) -> Result<Option<Vec<u8>>, Distrust> {
    Ok(std::fs::read(root.join(relative)).ok())
}

/// Refuses a directory that others could have filled; one that does not exist is not refused.
#[cfg(unix)]
pub(super) fn directory(path: &Path, may_be_link: bool) -> Result<(), Distrust> {
    let found = if may_be_link { std::fs::metadata(path) } else { std::fs::symlink_metadata(path) };
    match found {
        Ok(metadata) if metadata.is_symlink() => Err(link(path)),
        Ok(metadata) => judge(path, &metadata),
        Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
pub(super) fn directory(_path: &Path, _may_be_link: bool) -> Result<(), Distrust> {
    Ok(())
}

#[cfg(unix)]
fn link(path: &Path) -> Distrust {
    Distrust(format!("{} is not used: it is a link", path.display()))
}

#[cfg(unix)]
fn judge(path: &Path, metadata: &std::fs::Metadata) -> Result<(), Distrust> {
    use std::os::unix::fs::MetadataExt as _;
    let (user, owner, mode) = (rustix::process::geteuid().as_raw(), metadata.uid(), metadata.mode());
    let path = path.display();
    if owner != user && owner != 0 {
        let words = format!("belongs to user {owner}, and this process runs as user {user}");
        return Err(Distrust(format!("{path} is not used: it {words}")));
    }
    let is_sticky = metadata.is_dir() && mode & 0o1000 != 0;
    if mode & 0o022 != 0 && !is_sticky {
        let words = "others can write it; remove it, or take that right away with `chmod -R go-w`";
        return Err(Distrust(format!("{path} is not used: its mode is {:o}, so that {words}", mode & 0o7777)));
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn modes_owners_and_links_decide() {
        let root = tempfile::tempdir().unwrap();
        let (relative, inner) = (Path::new("a/b"), root.path().join("a"));
        assert_eq!(read(root.path(), relative), Ok(None));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("b"), b"x").unwrap();
        for (place, mode, is_trusted) in [
            ("", 0o700, true),
            ("", 0o770, false),
            ("", 0o707, false),
            ("", 0o1777, true),
            ("a", 0o775, false),
            ("a", 0o1775, true),
            ("a/b", 0o644, true),
            ("a/b", 0o664, false),
            ("a/b", 0o646, false),
            // The sticky bit of a file protects nothing.
            ("a/b", 0o1666, false),
        ] {
            let path = root.path().join(place);
            let before = std::fs::metadata(&path).unwrap().permissions().mode() & 0o755;
            std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let got = read(root.path(), relative);
            std::fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
            let expected = if is_trusted { Ok(Some(b"x".to_vec())) } else { got.clone() };
            assert_eq!((&got, got.is_ok()), (&expected, is_trusted), "{place} {mode:o}");
        }
        // A link is followed as the root alone.
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root.path(), outside.path().join("link")).unwrap();
        assert_eq!(read(&outside.path().join("link"), relative), Ok(Some(b"x".to_vec())));
        assert!(read(outside.path(), Path::new("link/a/b")).unwrap_err().to_string().ends_with("it is a link"));
        // A pipe without a writer, and a directory, are no files.
        assert!(std::process::Command::new("mkfifo").arg(inner.join("pipe")).status().unwrap().success());
        assert_eq!(read(root.path(), Path::new("a/pipe")), Ok(None));
        assert_eq!(read(root.path(), Path::new("a")), Ok(None));
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(inner.join("b"), Some(65534), None).unwrap();
            assert!(read(root.path(), relative).unwrap_err().to_string().contains("belongs to user 65534"));
        }
    }
}
