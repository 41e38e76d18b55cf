//! Built kernels on disk, shared by all backends and by any number of processes.
//!
//! Two keys lead to a kernel. The *outer* one is over what the caller gave (raw source, properties, target, emitter,
//! device identity); its record lists the includes that were read, by content, and names the *inner* key, which is
//! over the text that the target's compiler gets. A warm build thus reads three small files and runs no front end,
//! and sources that differ in nothing that matters share one artifact.
//!
//! ```text
//! <directory>/v1/outer/ab/abcd….json                          includes, inner key
//! <directory>/v1/kernels/cd/cdef…/{artifact.bin, source.txt, kernel.json}
//! <directory>/v1/choices/ef/ef01….json                        which of several builds is the fastest
//! <directory>/v1/locks/…   a file per kind and key, while somebody builds     <directory>/v1/staging/…
//! ```
//!
//! Invariants: nothing is trusted that does not match its own recorded hash and key, or that somebody else can have
//! written; entries appear whole or not at all; no failure of the directory (read-only, full, gone) fails a build, and no
//! other process holds one up for longer than the compiler's time limit.
//! Not here: what goes into the keys, which `build` decides.

mod directory;
mod files;
mod key;
mod trust;

pub use directory::{CACHE_DIR_VARIABLE, default_directory, temporary_directory};
pub use key::Key;

pub(crate) use files::Patience;
pub(crate) use key::KeyBuilder;
pub(crate) use trust::Distrust;

use crate::tuning::ChoiceRecord;
use crate::{Error, Result};
use files::{Lock, Staging};
use okl::Signature;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a build waits for another process that compiles the same, where a backend says nothing else.
pub(crate) const COMPILE_LIMIT: Duration = Duration::from_secs(600);

const VERSION: &str = "v1";
const ARTIFACT: &str = "artifact.bin";
const SOURCE: &str = "source.txt";
const RECORD: &str = "kernel.json";

/// A cache directory.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

/// A kernel file's entry, for listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its inner key.
    pub key: Key,
    /// Directory in which it lies.
    pub path: PathBuf,
    /// Names of its kernels; empty for an entry that is damaged and will be rebuilt when it is asked for.
    pub kernels: Vec<String>,
    /// Size of its files in bytes.
    pub bytes: u64,
    /// When it was written.
    pub written: Option<SystemTime>,
}

/// What [`Cache::clear`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Built kernel files.
    pub entries: usize,
    /// Bytes of everything.
    pub bytes: u64,
}

/// What a target's compiler made of a text, and the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Built {
    pub(crate) artifact: Vec<u8>,
    pub(crate) text: String,
    /// Names of the kernels, for listings.
    pub(crate) kernels: Vec<String>,
}

/// What the front end says of a source: sources that come to the same text differ in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Front {
    /// What launches need.
    pub(crate) signatures: Vec<Signature>,
    pub(crate) warnings: String,
    pub(crate) includes: Vec<IncludeUse>,
}

/// One `#include` that was followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IncludeUse {
    /// As written.
    pub(crate) name: String,
    pub(crate) angled: bool,
    /// The include in which it stands, by position; `None`: the kernel's source itself.
    pub(crate) from: Option<usize>,
    /// Hash of the text that it led to; `None` where nothing was found.
    pub(crate) content: Option<String>,
}

/// What the outer key leads to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct OuterRecord {
    pub(crate) outer: String,
    pub(crate) inner: String,
    pub(crate) front: Front,
}

#[derive(Serialize, Deserialize)]
struct KernelRecord {
    key: String,
    artifact: FileRecord,
    source: FileRecord,
    kernels: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct FileRecord {
    bytes: u64,
    hash: String,
}

impl FileRecord {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, hash: Key::of(bytes).to_string() }
    }

    fn matches(&self, bytes: &[u8]) -> bool {
        self.bytes == bytes.len() as u64 && self.hash == Key::of(bytes).to_string()
    }
}

/// A lock that one process at a time holds; may be no lock, see [`Lock::take`].
pub(crate) struct CacheLock {
    _lock: Option<Lock>,
}

impl Cache {
    /// The cache in `directory`, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { root: directory.into() }
    }

    /// The cache that devices use unless told otherwise, see [`default_directory`].
    /// # Errors
    /// As [`default_directory`].
    pub fn open_default() -> Result<Self> {
        default_directory().map(Self::new)
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.root
    }

    /// Every built kernel file.
    /// # Errors
    /// [`crate::ErrorKind::Io`] when the directory exists and cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let top = self.versioned().join("kernels");
        let mut entries = Vec::new();
        for shard in list(&top)? {
            for path in list(&shard)? {
                let key = path.file_name().and_then(|name| name.to_str()).and_then(Key::from_hex);
                let Some(key) = key else { continue };
                let record = std::fs::read(path.join(RECORD)).ok();
                let record = record.and_then(|bytes| files::unseal::<KernelRecord>(&bytes));
                entries.push(Entry {
                    key,
                    kernels: record.map_or(Vec::new(), |record| record.kernels),
                    bytes: size_of_tree(&path),
                    written: std::fs::metadata(&path).and_then(|m| m.modified()).ok(),
                    path,
                });
            }
        }
        entries.sort_by_key(|entry| entry.key);
        Ok(entries)
    }

    /// Size of everything in it, in bytes.
    pub fn bytes(&self) -> u64 {
        size_of_tree(&self.versioned())
    }

    /// Removes every entry. Kernels that are in use stay usable; processes that are building build on.
    /// # Errors
    /// [`crate::ErrorKind::Io`] when something cannot be removed.
    pub fn clear(&self) -> Result<Cleared> {
        let cleared = Cleared { entries: self.entries()?.len(), bytes: self.bytes() };
        // Locks stay: a process may hold one, and another must meet it at the same file.
        for part in ["outer", "kernels", "choices", "staging"] {
            let path = self.versioned().join(part);
            match std::fs::remove_dir_all(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io(&path, &error));
                }
                _ => {}
            }
        }
        Ok(cleared)
    }

    /// Refuses a directory that others could have filled.
    pub(crate) fn check(&self) -> Result<(), Distrust> {
        trust::directory(&self.root, true)?;
        trust::directory(&self.versioned(), false)?;
        let parts = ["outer", "kernels", "choices", "locks", "staging"];
        parts.iter().try_for_each(|part| trust::directory(&self.versioned().join(part), false))
    }

    /// What an outer key leads to; `None` where there is nothing that is whole.
    pub(crate) fn outer(&self, key: &Key) -> Result<Option<OuterRecord>, Distrust> {
        let record = self.read(&outer_path(key))?.and_then(|bytes| files::unseal::<OuterRecord>(&bytes));
        Ok(record.filter(|record| record.outer == key.to_string()))
    }

    /// The kernel file of an inner key; `None` where there is none that is whole.
    pub(crate) fn kernel(&self, key: &Key) -> Result<Option<Built>, Distrust> {
        let path = kernel_path(key);
        let record = self.read(&path.join(RECORD))?.and_then(|bytes| files::unseal::<KernelRecord>(&bytes));
        let Some(record) = record.filter(|record| record.key == key.to_string()) else {
            return Ok(None);
        };
        let artifact = self.read(&path.join(ARTIFACT))?.filter(|bytes| record.artifact.matches(bytes));
        let source = self.read(&path.join(SOURCE))?.filter(|bytes| record.source.matches(bytes));
        let text = source.and_then(|source| String::from_utf8(source).ok());
        Ok(artifact.zip(text).map(|(artifact, text)| Built { artifact, text, kernels: record.kernels }))
    }

    /// Where the kernel file of an inner key is kept.
    pub(crate) fn entry_path(&self, key: &Key) -> PathBuf {
        self.root.join(kernel_path(key))
    }

    fn read(&self, relative: &Path) -> Result<Option<Vec<u8>>, Distrust> {
        trust::read(&self.root, relative)
    }

    /// What a backend compiles from a text that it writes by itself: as the directory has it, else compiled now and kept
    /// there. A directory that others can write is not used. `name` is the entry's in listings; `fields` are all that the result depends on besides the text.
    /// # Errors
    /// Those of `compile`; a directory that takes nothing is no error.
    pub fn compiled(
        &self,
        name: &str,
        text: &str,
        fields: &[(&str, String)],
        compile: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let start = KeyBuilder::new("backend's own text").field("text", text.as_bytes());
        let key = fields.iter().fold(start, |key, (name, value)| key.field(name, value.as_bytes())).finish();
        if self.check().is_err() {
            return compile();
        }
        let _lock = self.lock_inner(&key, &mut Patience::new(COMPILE_LIMIT));
        match self.kernel(&key) {
            Ok(Some(built)) => return Ok(built.artifact),
            Ok(None) => {}
            Err(_) => return compile(),
        }
        let built = Built { artifact: compile()?, text: text.to_owned(), kernels: vec![name.to_owned()] };
        // The next process compiles it again where this one cannot keep it.
        let _ = self.store_kernel(&key, &built);
        Ok(built.artifact)
    }

    /// Holds everybody else off the work that an outer key stands for.
    pub(crate) fn lock_outer(&self, key: &Key, patience: &mut Patience) -> CacheLock {
        self.lock("outer", key, patience)
    }

    /// Holds everybody else off compiling for an inner key. Taken while an outer lock is held, never the other way
    /// round.
    pub(crate) fn lock_inner(&self, key: &Key, patience: &mut Patience) -> CacheLock {
        self.lock("inner", key, patience)
    }

    fn lock(&self, kind: &str, key: &Key, patience: &mut Patience) -> CacheLock {
        CacheLock { _lock: Lock::take(&self.versioned().join("locks").join(format!("{kind}-{key}")), patience) }
    }

    /// Which of several builds was the fastest; `None` where nobody has found out.
    pub(crate) fn choice(&self, key: &Key) -> Result<Option<ChoiceRecord>, Distrust> {
        let record = self.read(&choice_path(key))?.and_then(|bytes| files::unseal::<ChoiceRecord>(&bytes));
        Ok(record.filter(|record| record.key == key.to_string()))
    }

    /// Writes an outer record.
    pub(crate) fn store_outer(&self, key: &Key, inner: &Key, front: &Front) -> io::Result<()> {
        let record = OuterRecord { outer: key.to_string(), inner: inner.to_string(), front: front.clone() };
        self.store_record(&outer_path(key), &record)
    }

    /// Writes which build was the fastest.
    pub(crate) fn store_choice(&self, key: &Key, record: &ChoiceRecord) -> io::Result<()> {
        self.store_record(&choice_path(key), record)
    }

    fn store_record(&self, path: &Path, record: &impl Serialize) -> io::Result<()> {
        let staging = Staging::new(&self.versioned().join("staging"))?;
        let staged = staging.write(RECORD, &files::seal(record)?)?;
        let path = self.root.join(path);
        create_parent(&path)?;
        std::fs::rename(staged, path)
    }

    /// Writes a kernel file's entry in place of whatever is there.
    pub(crate) fn store_kernel(&self, key: &Key, built: &Built) -> io::Result<()> {
        let record = KernelRecord {
            key: key.to_string(),
            artifact: FileRecord::of(&built.artifact),
            source: FileRecord::of(built.text.as_bytes()),
            kernels: built.kernels.clone(),
        };
        let parent = self.versioned().join("staging");
        files::remove_stale(&self.versioned().join("locks"));
        let staging = Staging::new(&parent)?;
        staging.write(ARTIFACT, &built.artifact)?;
        staging.write(SOURCE, built.text.as_bytes())?;
        staging.write(RECORD, &files::seal(&record)?)?;
        let path = self.root.join(kernel_path(key));
        create_parent(&path)?;
        if std::fs::rename(staging.path(), &path).is_err() {
            // A directory that is not empty cannot be renamed over: what is there did not pass as an entry, so it
            // is moved away first. Another process may do the same at the same time; either one's entry is good.
            let old = Staging::new(&parent)?;
            let _ = std::fs::rename(&path, old.path().join("old"));
            match std::fs::rename(staging.path(), &path) {
                Err(error) if !matches!(self.kernel(key), Ok(Some(_))) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn versioned(&self) -> PathBuf {
        self.root.join(VERSION)
    }
}

fn outer_path(key: &Key) -> PathBuf {
    let name = key.to_string();
    [VERSION, "outer", &name[..2], &format!("{name}.json")].iter().collect()
}

fn choice_path(key: &Key) -> PathBuf {
    let name = key.to_string();
    [VERSION, "choices", &name[..2], &format!("{name}.json")].iter().collect()
}

fn kernel_path(key: &Key) -> PathBuf {
    let name = key.to_string();
    [VERSION, "kernels", &name[..2], &name].iter().collect()
}

fn create_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), files::create_directories)
}

/// What a directory holds; nothing where it does not exist.
fn list(directory: &Path) -> Result<Vec<PathBuf>> {
    match std::fs::read_dir(directory) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(Error::io(directory, &error)),
    }
}

/// Bytes of all files below; what vanishes meanwhile counts nothing.
fn size_of_tree(path: &Path) -> u64 {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return 0;
    };
    if !metadata.is_dir() {
        return metadata.len();
    }
    std::fs::read_dir(path).map_or(0, |entries| entries.flatten().map(|entry| size_of_tree(&entry.path())).sum())
}

#[cfg(test)]
mod tests;
