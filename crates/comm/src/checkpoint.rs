//! The state of a distributed program on disk: a file for each rank, and a manifest that is written last.
//!
//! A checkpoint is a directory. Each state that is written has files of its own, `GENERATION-RANK`, whose names and hashes the file
//! `manifest` lists; it replaces the manifest before it by renaming, and only then the files of that are removed. So whenever a
//! rank is killed, the manifest that is there is that of a complete state. Another number of ranks may read it.
//!
//! # Format of a rank's file, all numbers little-endian
//! For each field the values of the rank's part, without ghosts, slowest axis first. The manifest is text, a word and its value a
//! line, the last of which is its own hash (BLAKE3, as those of the files).

use crate::gather::{copy_rows, read, write};
use crate::grid::Grid;
use crate::layout::{AXES, Block, Layout};
use crate::plan::Field;
use ferrocca_core::{DType, Error, Result};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "manifest";
const FIRST_LINE: &str = "ferrocca checkpoint 1";

/// What a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The number that the program gave.
    pub step: u64,
    /// What else it gave, the same on all ranks.
    pub note: String,
    generation: u64,
    shape: Vec<usize>,
    fields: Vec<(String, Vec<usize>)>,
    parts: Vec<Part>,
}

/// A rank's file: its name, its box without ghosts, and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    file: String,
    start: Vec<usize>,
    extents: Vec<usize>,
    hash: String,
}

impl Grid {
    /// Writes the points of fields, which are of one value a point, and a note of one line that all ranks give alike.
    /// Collective. The state that was there is replaced.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Io`], [`ferrocca_core::ErrorKind::Invalid`] for a field that is not of one value a point or a
    /// note of several lines, [`ferrocca_core::ErrorKind::Communication`], failures of the device; on every rank.
    pub fn save<F: Field + ?Sized>(&self, directory: &Path, step: u64, note: &str, fields: &[&F]) -> Result<()> {
        let comm = self.comm();
        comm.agree("a checkpoint", &format!("step {step}, {note:?}"))?;
        let doing = || format!("writing the checkpoint {}", directory.display());
        // Files that a manifest names are never written again.
        let next = read_manifest(directory).map_or(0, |manifest| manifest.generation + 1);
        let next = comm.broadcast(next.to_le_bytes().to_vec())?;
        let generation = next.as_chunks().0.first().map_or(0, |next| u64::from_le_bytes(*next));
        let own = self.write_part(directory, generation, note, fields);
        let (part, kinds) = comm.all_succeed(own.map_err(|error| error.while_doing(doing())))?;
        let lines = comm.gather(part.to_line().as_bytes())?;
        let finish = |lines: Vec<Vec<u8>>| -> Result<()> {
            let before = read_manifest(directory).ok();
            let mut text = format!(
                "{FIRST_LINE}\nstep {step}\nnote {note}\ngeneration {generation}\nshape {}\n",
                join(self.shape())
            );
            for dtype in kinds {
                let _ = writeln!(text, "field {} {}", dtype.name(), join(self.shape()));
            }
            for line in &lines {
                let _ = writeln!(text, "part {}", String::from_utf8_lossy(line));
            }
            let _ = writeln!(text, "hash {}", blake3::hash(text.as_bytes()).to_hex());
            write_file(&directory.join(MANIFEST), text.as_bytes())?;
            sync_directory(directory);
            for part in before.iter().flat_map(|manifest| &manifest.parts) {
                // A file that cannot be removed is in nobody's way.
                let _ = std::fs::remove_file(directory.join(&part.file));
            }
            Ok(())
        };
        let finished = lines.map_or(Ok(()), finish).map_err(|error| error.while_doing(doing()));
        comm.all_succeed(finished)
    }

    fn write_part<F: Field + ?Sized>(
        &self,
        directory: &Path,
        generation: u64,
        note: &str,
        fields: &[&F],
    ) -> Result<(Part, Vec<DType>)> {
        if note.contains('\n') {
            return Err(Error::invalid("the note of a checkpoint is one line"));
        }
        std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, &error))?;
        let layout = self.centred();
        let (mut bytes, mut kinds) = (Vec::new(), Vec::new());
        for field in fields {
            let memory = field.memory();
            layout.check_len(memory.len())?;
            bytes.extend(read(&memory, layout.interior_block())?);
            kinds.push(memory.dtype());
        }
        let file = format!("{generation}-{}", self.comm().rank());
        write_file(&directory.join(&file), &bytes)?;
        sync_directory(directory);
        let hash = blake3::hash(&bytes).to_hex().to_string();
        Ok((Part { file, start: self.start(), extents: self.extents(), hash }, kinds))
    }

    /// Reads the points of fields that any number of ranks has written; ghosts stay as they are. Each rank reads what it needs.
    /// Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Io`]; [`ferrocca_core::ErrorKind::Invalid`] for a checkpoint of another grid or other fields, or
    /// one that is damaged; failures of the device; on every rank.
    pub fn load<F: Field + ?Sized>(&self, directory: &Path, fields: &mut [&mut F]) -> Result<Manifest> {
        let own = self.read_parts(directory, fields);
        let doing = || format!("reading the checkpoint {}", directory.display());
        self.comm().all_succeed(own.map_err(|error| error.while_doing(doing())))
    }

    fn read_parts<F: Field + ?Sized>(&self, directory: &Path, fields: &mut [&mut F]) -> Result<Manifest> {
        let manifest = read_manifest(directory)?;
        let kinds: Vec<(String, Vec<usize>)> =
            fields.iter().map(|field| (field.memory().dtype().name().to_owned(), self.shape().to_vec())).collect();
        if manifest.shape != self.shape() || manifest.fields != kinds {
            return Err(Error::invalid(format!(
                "it holds {:?} of a grid of {:?} points, not {kinds:?} of {:?}",
                manifest.fields,
                manifest.shape,
                self.shape()
            )));
        }
        let layout = self.centred();
        let sizes: Vec<usize> = fields.iter().map(|field| field.memory().dtype().bytes()).collect();
        let mut values: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; layout.interior_block().len() * size]).collect();
        let mut found = 0;
        for part in &manifest.parts {
            let Some(common) = Common::of(&layout, part) else { continue };
            let bytes = read_file(&directory.join(&part.file), &part.hash)?;
            let count: usize = part.extents.iter().product();
            if bytes.len() != count * sizes.iter().sum::<usize>() {
                return Err(Error::invalid(format!("{} has {} bytes", part.file, bytes.len())));
            }
            let mut first = 0;
            for (values, size) in values.iter_mut().zip(&sizes) {
                common.copy(&bytes[first..first + count * size], values, *size);
                first += count * size;
            }
            found += common.len();
        }
        if found != layout.interior_block().len() {
            return Err(Error::invalid("its parts do not cover the grid"));
        }
        for (field, values) in fields.iter_mut().zip(&values) {
            let memory = field.memory();
            layout.check_len(memory.len())?;
            write(&memory, layout.interior_block(), values)?;
        }
        Ok(manifest)
    }
}

/// What a rank's part and a file have in common.
struct Common {
    extents: [usize; AXES],
    /// Of the first common element, in the file's box and in the rank's.
    in_file: Block,
    in_part: Block,
}

impl Common {
    fn of(layout: &Layout, part: &Part) -> Option<Self> {
        let pad = |values: &[usize], with: usize| {
            let mut all = [with; AXES];
            all[AXES.checked_sub(values.len())?..].copy_from_slice(values);
            Some(all)
        };
        let (start, extents) = (pad(&part.start, 0)?, pad(&part.extents, 1)?);
        let mut common = [0; AXES];
        let (mut from_file, mut from_part) = ([0; AXES], [0; AXES]);
        for axis in 0..AXES {
            let first = start[axis].max(layout.start[axis]);
            let end = (start[axis] + extents[axis]).min(layout.start[axis] + layout.points[axis]);
            common[axis] = end.checked_sub(first).filter(|extent| *extent > 0)?;
            (from_file[axis], from_part[axis]) = (first - start[axis], first - layout.start[axis]);
        }
        let block = |first: [usize; AXES], of: [usize; AXES]| {
            let strides = [of[1] * of[2], of[2]];
            Block { base: first[0] * strides[0] + first[1] * strides[1] + first[2], extents: common, strides }
        };
        Some(Self { extents: common, in_file: block(from_file, extents), in_part: block(from_part, layout.points) })
    }

    fn len(&self) -> usize {
        self.extents.iter().product()
    }

    fn copy(&self, file: &[u8], part: &mut [u8], size: usize) {
        let mut packed = vec![0; self.len() * size];
        copy_rows(self.in_file, size, |row, at| packed[row].copy_from_slice(&file[at]));
        copy_rows(self.in_part, size, |row, at| part[at].copy_from_slice(&packed[row]));
    }
}

impl Part {
    fn to_line(&self) -> String {
        format!("{} {} {} {}", self.file, join(&self.start), join(&self.extents), self.hash)
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (file, start, extents, hash) = (words.next()?, words.next()?, words.next()?, words.next()?);
        // A name of another directory is not one that `save` has written.
        let is_name = file.chars().all(|c| c.is_ascii_digit() || c == '-');
        let (start, extents) = (split(start)?, split(extents)?);
        (is_name && start.len() == extents.len() && start.len() <= AXES).then(|| Self {
            file: file.to_owned(),
            start,
            extents,
            hash: hash.to_owned(),
        })
    }
}

/// What a checkpoint says of itself.
/// # Errors
/// [`ferrocca_core::ErrorKind::Io`] where there is none, [`ferrocca_core::ErrorKind::Invalid`] for one that is damaged.
pub fn read_manifest(directory: &Path) -> Result<Manifest> {
    let path = directory.join(MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(|error| Error::io(&path, &error))?;
    let damaged = || Error::invalid(format!("{} is damaged, or of another version", path.display()));
    let (body, hash) = text.rsplit_once("hash ").ok_or_else(damaged)?;
    if blake3::hash(body.as_bytes()).to_hex().as_str() != hash.trim_end() {
        return Err(damaged());
    }
    parse(body).ok_or_else(damaged)
}

fn parse(body: &str) -> Option<Manifest> {
    let mut lines = body.lines();
    if lines.next()? != FIRST_LINE {
        return None;
    }
    let step = lines.next()?.strip_prefix("step ")?.parse().ok()?;
    let note = lines.next()?.strip_prefix("note ")?.to_owned();
    let generation = lines.next()?.strip_prefix("generation ")?.parse().ok()?;
    let shape = split(lines.next()?.strip_prefix("shape ")?)?;
    let (mut fields, mut parts) = (Vec::new(), Vec::new());
    for line in lines {
        match line.split_once(' ')? {
            ("field", field) => {
                let (dtype, shape) = field.split_once(' ')?;
                fields.push((dtype.to_owned(), split(shape)?));
            }
            ("part", part) => parts.push(Part::from_line(part)?),
            _ => return None,
        }
    }
    Some(Manifest { step, note, generation, shape, fields, parts })
}

fn join(values: &[usize]) -> String {
    values.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn split(text: &str) -> Option<Vec<usize>> {
    text.split(',').map(|value| value.parse().ok()).collect()
}

/// Writes a file beside its place, waits until the disk has it, and renames it.
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| Error::io(path, &error);
    let staged: PathBuf = path.with_extension("part");
    let mut file = File::create(&staged).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    std::fs::rename(&staged, path).map_err(failed)
}

/// Names of a directory reach the disk with it; where a file system cannot do that there is nothing to be done.
fn sync_directory(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
}

fn read_file(path: &Path, hash: &str) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    match blake3::hash(&bytes).to_hex().as_str() == hash {
        true => Ok(bytes),
        false => Err(Error::invalid(format!("{} is damaged: its hash does not match", path.display()))),
    }
}
