//! Files of the cache: sealed records, staging, locks.
//!
//! A file or directory appears under its final name whole or not at all: it is written beside and renamed. It is not
//! synced: after a power cut an entry may be torn, which its hash shows like any other damage, and a sync of a few
//! kilobytes takes tens of milliseconds on a busy disk, as long as compiling a small kernel.

use super::key::Key;
use crate::json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// First line of every record, with the version of its format.
const SEAL: &str = "ferrocca cache record 1";

/// What a process that died has left behind is removed when it is older than this.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// A build that waits longer for another process says so.
const SILENCE: Duration = Duration::from_secs(2);

/// Longest pause between two looks at a lock that is held.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// A record as bytes, with its own hash before it.
pub(super) fn seal(record: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = json::write(record)?;
    let mut out = format!("{SEAL}\n{}\n", Key::of(&body)).into_bytes();
    out.extend_from_slice(&body);
    Ok(out)
}

/// The record in sealed bytes; `None` when they are of another format, cut short or changed.
pub(super) fn unseal<R: DeserializeOwned>(bytes: &[u8]) -> Option<R> {
    let rest = bytes.strip_prefix(SEAL.as_bytes())?.strip_prefix(b"\n")?;
    let (hash, body) = (rest.get(..64)?, rest.get(64..)?.strip_prefix(b"\n")?);
    let expected = Key::from_hex(std::str::from_utf8(hash).ok()?)?;
    (Key::of(body) == expected).then(|| json::read(body).ok())?
}

/// A directory beside the cache's entries in which one writer works; removed when dropped.
pub(super) struct Staging {
    path: PathBuf,
}

impl Staging {
    /// Makes a directory in `parent` that no other writer has.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        create_directories(parent)?;
        remove_stale(parent);
        loop {
            let nanoseconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            // The process's number alone does not tell apart the nodes that share a directory.
            let path = parent.join(format!("{}-{number}-{nanoseconds}", std::process::id()));
            match private_directory().create(&path) {
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
        let mut options = OpenOptions::new();
        // Whatever the process's mask is: what others can write is not read again.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
        options.write(true).create_new(true).open(&path)?.write_all(bytes)?;
        Ok(path)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Gone already where it was renamed into place; what cannot be removed now is stale later.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Makes a directory, and what is missing above it, for this user alone.
pub(super) fn create_directories(path: &Path) -> io::Result<()> {
    private_directory().recursive(true).create(path)
}

fn private_directory() -> std::fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Removes directories, and lock files that nobody holds, which were left long ago.
pub(super) fn remove_stale(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if !metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE)) {
            continue;
        }
        if metadata.is_dir() {
            let _ = std::fs::remove_dir_all(entry.path());
        } else if lock_file(&entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// How long one build waits for others, over all the locks that it takes.
pub(crate) struct Patience {
    begin: Instant,
    limit: Duration,
    was_announced: bool,
}

impl Patience {
    /// Of `limit` from now on.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { begin: Instant::now(), limit, was_announced: false }
    }

    /// Waits a little for who holds the lock at `path`; `false` when the limit is reached.
    fn wait(&mut self, path: &Path, pause: &mut Duration) -> bool {
        let waited = self.begin.elapsed();
        let Some(left) = self.limit.checked_sub(waited).filter(|left| !left.is_zero()) else {
            return false;
        };
        if waited >= SILENCE && !self.was_announced {
            self.was_announced = true;
            eprintln!(
                "ferrocca: waiting for another process that builds the same kernel and holds {}; this one builds it, too, \
                 if that takes longer than {} s",
                path.display(),
                self.limit.as_secs_f64()
            );
        }
        std::thread::sleep(left.min(*pause));
        *pause = LONGEST_PAUSE.min(*pause * 2);
        true
    }
}

/// Holds a lock file until dropped.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for the lock at `path`. `None` where that takes too long, the directory cannot be written or its file system
    /// has no locks: the work is then done without, because renaming is safe anyway and only work may be done twice.
    pub(super) fn take(path: &Path, patience: &mut Patience) -> Option<Self> {
        create_directories(path.parent()?).ok()?;
        let mut pause = Duration::from_millis(1);
        loop {
            let file = lock_file(path).ok()?;
            match file.try_lock() {
                // Who held it may have removed the file: others may hold the next one of this name by now.
                Ok(()) if is_at(&file, path) => return Some(Self { file, path: path.to_path_buf() }),
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(_)) => return None,
            }
            if !patience.wait(path, &mut pause) {
                return None;
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is held, so that nobody loses a lock. Where an open file cannot be removed it stays, and serves again.
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    options.open(path)
}

/// Whether `path` still leads to `file`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let (own, found) = (file.metadata().map(identity), std::fs::symlink_metadata(path).map(identity));
    own.is_ok_and(|own| found.is_ok_and(|found| own == found))
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
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
    fn locks_that_dead_processes_left_are_removed_and_held_ones_are_not() {
        let root = tempfile::tempdir().unwrap();
        for name in ["dead", "held", "new"] {
            let file = File::create(root.path().join(name)).unwrap();
            if name != "new" {
                file.set_modified(SystemTime::now() - 2 * STALE).unwrap();
            }
        }
        let held = Lock::take(&root.path().join("held"), &mut Patience::new(Duration::ZERO)).unwrap();
        remove_stale(root.path());
        assert_eq!(["dead", "held", "new"].map(|name| root.path().join(name).exists()), [false, true, true]);
        drop(held);
    }

    #[test]
    #[cfg(unix)]
    fn a_lock_file_that_was_removed_is_no_lock() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("lock");
        let first = lock_file(&path).unwrap();
        assert!(is_at(&first, &path));
        std::fs::remove_file(&path).unwrap();
        assert!(!is_at(&first, &path));
        let second = lock_file(&path).unwrap();
        assert!(!is_at(&first, &path) && is_at(&second, &path));
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
