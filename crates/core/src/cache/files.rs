//! Files of the cache: sealed records, staging, locks.
//!
//! A file or directory appears under its final name whole or not at all: it is written beside and renamed. It is not
//! synced: after a power cut an entry may be torn, which its hash shows like any other damage, and a sync of a few
//! kilobytes takes tens of milliseconds on a busy disk, as long as compiling a small kernel.

use super::key::Key;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// First line of every record, with the version of its format.
const SEAL: &str = "ferrocca cache record 1";

/// What staging left behind by a process that died is removed when it is older than this.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// A record as bytes, with its own hash before it.
pub(super) fn seal(record: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(record)?;
    let mut out = format!("{SEAL}\n{}\n", Key::of(&body)).into_bytes();
    out.extend_from_slice(&body);
    Ok(out)
}

/// The record in sealed bytes; `None` when they are of another format, cut short or changed.
pub(super) fn unseal<R: DeserializeOwned>(bytes: &[u8]) -> Option<R> {
    let rest = bytes.strip_prefix(SEAL.as_bytes())?.strip_prefix(b"\n")?;
    let (hash, body) = (rest.get(..64)?, rest.get(64..)?.strip_prefix(b"\n")?);
    let expected = Key::from_hex(std::str::from_utf8(hash).ok()?)?;
    (Key::of(body) == expected).then(|| serde_json::from_slice(body).ok())?
}

/// A directory beside the cache's entries in which one writer works; removed when dropped.
pub(super) struct Staging {
    path: PathBuf,
}

impl Staging {
    /// Makes a directory in `parent` that no other writer has.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(parent)?;
        remove_stale(parent);
        loop {
            let nanoseconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            // The process's number alone does not tell apart the nodes that share a directory.
            let path = parent.join(format!("{}-{number}-{nanoseconds}", std::process::id()));
            match std::fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(()) => return Ok(Self { path }),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.write_all(bytes)?;
        Ok(path)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Gone already where it was renamed into place; what cannot be removed now is stale later.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn remove_stale(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > STALE) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Holds a lock file until dropped.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock at `path`. `None` where the directory cannot be written or its file system has no locks:
    /// the work is then done without, because renaming is safe anyway and only work may be done twice.
    pub(super) fn take(path: &Path) -> Option<Self> {
        std::fs::create_dir_all(path.parent()?).ok()?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).ok()?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => file.lock().ok()?,
            Err(TryLockError::Error(_)) => return None,
        }
        Some(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_was_changed_is_none() {
        let sealed = seal(&vec!["a".to_string(), "b".to_string()]).unwrap();
        assert_eq!(unseal::<Vec<String>>(&sealed).unwrap(), ["a", "b"]);
        for end in 0..sealed.len() {
            assert_eq!(unseal::<Vec<String>>(&sealed[..end]), None, "cut at {end}");
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(unseal::<Vec<String>>(&changed), None, "changed at {at}");
        }
    }

    #[test]
    fn staging_leaves_nothing_behind_and_removes_what_is_stale() {
        let root = tempfile::tempdir().unwrap();
        let parent = root.path().join("tmp");
        let staging = Staging::new(&parent).unwrap();
        staging.write("a", b"x").unwrap();
        let old = parent.join("old");
        std::fs::create_dir(&old).unwrap();
        File::open(&old).unwrap().set_modified(SystemTime::now() - 2 * STALE).unwrap();
        drop(staging);
        drop(Staging::new(&parent).unwrap());
        assert_eq!(std::fs::read_dir(&parent).unwrap().count(), 0);
    }
}
