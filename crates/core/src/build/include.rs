//! Finds and reads what `#include` names, and notices later whether it would find the same again.

use crate::cache::{IncludeUse, Key};
use okl::Includes;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// Where includes of one build are looked for.
#[derive(Clone)]
pub(super) struct SearchPath {
    /// Directory of the kernel's source.
    pub(super) source_directory: PathBuf,
    /// Name of the kernel's source, as the front end knows it.
    pub(super) source_name: String,
    /// The `include_dirs` property.
    pub(super) directories: Vec<PathBuf>,
}

impl SearchPath {
    /// The file that a name leads to, seen from a file in `directory`: for quotes that directory comes first, then
    /// `include_dirs`, then the current directory.
    fn find(&self, name: &str, angled: bool, directory: &Path) -> Option<(PathBuf, Metadata)> {
        let is_file =
            |path: PathBuf| std::fs::metadata(&path).ok().filter(Metadata::is_file).map(|metadata| (path, metadata));
        if Path::new(name).is_absolute() {
            return is_file(PathBuf::from(name));
        }
        let beside = (!angled).then(|| directory.join(name));
        let listed = self.directories.iter().map(|directory| directory.join(name));
        beside.into_iter().chain(listed).chain([PathBuf::from(name)]).find_map(is_file)
    }

    /// Whether every include would lead to the same text again.
    pub(super) fn finds_the_same(&self, uses: &[IncludeUse]) -> bool {
        let mut paths: Vec<PathBuf> = Vec::with_capacity(uses.len());
        for include in uses {
            let directory = match include.from {
                None => Some(self.source_directory.as_path()),
                Some(from) => paths.get(from).and_then(|path| path.parent()),
            };
            let Some(directory) = directory else {
                return false;
            };
            let found = self.find(&include.name, include.angled, directory);
            let content = found.as_ref().map(|(path, metadata)| content_hash(path, metadata));
            // What was not found must still be missing: the front end has headers of its own.
            if content != include.content.as_deref().map(Key::from_hex) {
                return false;
            }
            paths.push(found.map_or_else(PathBuf::new, |(path, _)| path));
        }
        true
    }
}

/// A source that lies in no file.
#[derive(Clone)]
pub(super) struct VirtualFile {
    /// What `#include` calls it.
    pub(super) include_name: &'static str,
    /// What diagnostics call it.
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads for the front end and takes notes.
pub(super) struct Reader<'a> {
    search: &'a SearchPath,
    virtual_files: Vec<&'a VirtualFile>,
    notes: RefCell<Notes>,
}

#[derive(Default)]
struct Notes {
    uses: Vec<IncludeUse>,
    paths: Vec<PathBuf>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(search: &'a SearchPath, virtual_files: impl Iterator<Item = &'a VirtualFile>) -> Self {
        Self { search, virtual_files: virtual_files.collect(), notes: RefCell::default() }
    }

    /// What was read, in order.
    pub(super) fn into_uses(self) -> Vec<IncludeUse> {
        self.notes.into_inner().uses
    }

    /// Position of the include that led to the file of that name; `None` for the kernel's own source.
    fn position(&self, from: &str) -> Option<usize> {
        let notes = self.notes.borrow();
        let is_own = from == self.search.source_name || self.virtual_files.iter().any(|file| file.name == from);
        let mut paths = notes.paths.iter();
        paths.position(|path| !is_own && path.to_string_lossy() == from)
    }

    fn note(&self, include: IncludeUse, path: PathBuf) {
        let mut notes = self.notes.borrow_mut();
        if !notes.uses.contains(&include) {
            notes.uses.push(include);
            notes.paths.push(path);
        }
    }
}

impl Includes for Reader<'_> {
    fn read(&self, name: &str, angled: bool, from: &str) -> Result<(String, String), String> {
        let mut virtual_files = self.virtual_files.iter();
        if let Some(file) = virtual_files.find(|file| file.include_name == name) {
            return Ok((file.name.clone(), file.text.clone()));
        }
        let from = self.position(from);
        let directory = from.map_or(self.search.source_directory.clone(), |from| {
            let notes = self.notes.borrow();
            notes.paths[from].parent().unwrap_or(Path::new("")).to_path_buf()
        });
        let include = |content| IncludeUse { name: name.to_string(), angled, from, content };
        let Some((path, _)) = self.search.find(name, angled, &directory) else {
            self.note(include(None), PathBuf::new());
            return Err(not_found(name, angled, &directory, &self.search.directories));
        };
        let text = std::fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let content = Key::of(&text).to_string();
        let text = String::from_utf8(text).map_err(|_| format!("{} is not UTF-8 text", path.display()))?;
        let shown = path.to_string_lossy().into_owned();
        self.note(include(Some(content)), path);
        Ok((shown, text))
    }
}

fn not_found(name: &str, angled: bool, beside: &Path, directories: &[PathBuf]) -> String {
    let mut places: Vec<String> = Vec::new();
    let full =
        |directory: &Path| std::path::absolute(directory).unwrap_or(directory.to_path_buf()).display().to_string();
    if !angled && !beside.as_os_str().is_empty() {
        places.push(full(beside));
    }
    places.extend(directories.iter().map(|directory| full(directory)));
    let current = std::env::current_dir().map(|directory| directory.display().to_string());
    let current = current.unwrap_or_else(|_| "the current directory".to_string());
    if !places.contains(&current) {
        places.push(current);
    }
    let further = "name the directory that it is in by the property `include_dirs`, or on the command line by `-I DIR`";
    match &places[..] {
        [place] => format!("`{name}` is not in {place}: {further}"),
        places => format!("`{name}` is neither in {}: {further}", places.join(" nor in ")),
    }
}

/// A file's time is trusted when it lies this far back: what is written twice within a clock's tick keeps its time.
const SETTLED: Duration = Duration::from_secs(2);

#[derive(PartialEq)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
    inode: u64,
}

/// Hash of a file's content; not read again while size, time and inode say that it is the same.
fn content_hash(path: &Path, metadata: &Metadata) -> Option<Key> {
    static KNOWN: OnceLock<Mutex<HashMap<PathBuf, (Stamp, Key)>>> = OnceLock::new();
    let known = || KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let modified = metadata.modified().ok()?;
    let stamp = Stamp { modified, bytes: metadata.len(), inode: inode(metadata) };
    if let Some((old, hash)) = known().get(path)
        && *old == stamp
    {
        return Some(*hash);
    }
    let hash = Key::of(&std::fs::read(path).ok()?);
    if modified.elapsed().is_ok_and(|age| age > SETTLED) {
        known().insert(path.to_path_buf(), (stamp, hash));
    }
    Some(hash)
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> u64 {
    0
}
