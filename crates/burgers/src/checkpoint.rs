//! A state on disk, from which a run goes on with the same bits.
//!
//! # Format, version 1; all numbers little-endian
//! | bytes | what |
//! | --- | --- |
//! | 8 | `FBURGERS` |
//! | 4 | version, `u32` |
//! | 4 | bytes of a value: 4 or 8, `u32` |
//! | 8 each | points `u64`; length, nu, dt `f64`; step `u64`; time `f64` |
//! | (points + 2) × bytes of a value | the field, ghosts included |
//! | 32 | BLAKE3 of all bytes before |
//!
//! Invariant: a file is complete or absent. It is written beside its destination, synced and renamed.
//! `final_time` is no part of it: a run may be resumed to go further.

use crate::{Config, Precision};
use ferrocca_core::{Error, Result};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"FBURGERS";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 8 + 4 + 4 + 6 * 8;
const CHECKSUM_BYTES: usize = 32;

/// A state of the solver, with the parameters that it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Grid points, without ghosts.
    pub points: u64,
    /// Length of the interval.
    pub length: f64,
    /// Viscosity.
    pub nu: f64,
    /// Time step.
    pub dt: f64,
    /// Floating point type of the field.
    pub precision: Precision,
    /// Steps done.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// The field's `points + 2` values as little-endian bytes.
    pub(crate) field: Vec<u8>,
}

impl Checkpoint {
    /// The problem that it belongs to, to be run until `final_time`.
    pub fn config(&self, final_time: f64) -> Config {
        let Self { points, length, nu, dt, precision, .. } = *self;
        Config { points, length, nu, dt, final_time, precision, ..Config::default() }
    }

    /// Checks that it belongs to `config`.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] with every parameter that differs, and both of its values.
    pub fn matches(&self, config: &Config) -> Result<()> {
        let mut differences = Vec::new();
        let mut compare = |name: &str, saved: String, asked: String, equal: bool| {
            if !equal {
                differences.push(format!("{name} is {saved} in the checkpoint and {asked} in this run"));
            }
        };
        let mut integer = |name: &str, saved: u64, asked: u64| {
            compare(name, saved.to_string(), asked.to_string(), saved == asked);
        };
        integer("points", self.points, config.points);
        let mut float = |name: &str, saved: f64, asked: f64| {
            compare(name, saved.to_string(), asked.to_string(), saved.to_bits() == asked.to_bits());
        };
        float("length", self.length, config.length);
        float("nu", self.nu, config.nu);
        float("dt", self.dt, config.dt);
        let (saved, asked) = (self.precision, config.precision);
        compare("precision", saved.to_string(), asked.to_string(), saved == asked);
        match differences.is_empty() {
            true => Ok(()),
            false => {
                Err(Error::invalid(format!("the checkpoint belongs to another problem: {}", differences.join("; "))))
            }
        }
    }

    /// Tries whether a checkpoint can be written to `path`, so that a long run need not find out at its end.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Io`].
    pub fn check_destination(path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| cannot_write(path, &error);
        if path.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        tempfile::Builder::new().prefix(".checkpoint-").tempfile_in(directory_of(path)).map_err(failed).map(drop)
    }

    /// Writes it to `path`, which afterwards holds all of it or what it held before.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Io`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| cannot_write(path, &error);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".checkpoint-");
        // A temporary file is private unless told; a checkpoint has the permissions of any file that the user makes.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut staged = builder.tempfile_in(directory_of(path)).map_err(failed)?;
        let header = self.header();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&header).update(&self.field);
        let checksum = hasher.finalize();
        for part in [&header[..], &self.field[..], &checksum.as_bytes()[..]] {
            staged.write_all(part).map_err(failed)?;
        }
        staged.as_file().sync_all().map_err(failed)?;
        staged.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Reads what [`write`](Self::write) wrote.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Io`]; [`ferrocca_core::ErrorKind::Invalid`] for a file that is no checkpoint, of
    /// another version, cut off or damaged.
    pub fn read(path: &Path) -> Result<Self> {
        let context = |error: Error| error.while_doing(format!("reading checkpoint {}", path.display()));
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| Error::io(path, &error).while_doing("reading a checkpoint"))?;
        Self::decode(bytes).map_err(context)
    }

    fn header(&self) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend(MAGIC);
        header.extend(VERSION.to_le_bytes());
        header.extend((self.precision.bytes() as u32).to_le_bytes());
        header.extend(self.points.to_le_bytes());
        for value in [self.length, self.nu, self.dt] {
            header.extend(value.to_le_bytes());
        }
        header.extend(self.step.to_le_bytes());
        header.extend(self.time.to_le_bytes());
        header
    }

    fn decode(mut bytes: Vec<u8>) -> Result<Self> {
        if bytes.len() < 12 || &bytes[..8] != MAGIC {
            return Err(Error::invalid("this is not a Burgers checkpoint"));
        }
        let version = u32::from_le_bytes(array(&bytes, 8));
        if version != VERSION {
            return Err(Error::invalid(format!(
                "its format has version {version}, this program reads version {VERSION}"
            )));
        }
        if bytes.len() < HEADER_BYTES + CHECKSUM_BYTES {
            return Err(Error::invalid(format!("it is truncated after {} bytes", bytes.len())));
        }
        let checksum_at = bytes.len() - CHECKSUM_BYTES;
        if blake3::hash(&bytes[..checksum_at]).as_bytes() != &bytes[checksum_at..] {
            return Err(Error::invalid("it is damaged or truncated: its checksum does not match"));
        }
        let word = |index: usize| array(&bytes, 16 + 8 * index);
        let precision = match u32::from_le_bytes(array(&bytes, 12)) {
            4 => Precision::F32,
            8 => Precision::F64,
            other => {
                return Err(Error::invalid(format!("it holds values of {other} bytes, not 4 or 8")));
            }
        };
        let mut checkpoint = Self {
            points: u64::from_le_bytes(word(0)),
            length: f64::from_le_bytes(word(1)),
            nu: f64::from_le_bytes(word(2)),
            dt: f64::from_le_bytes(word(3)),
            precision,
            step: u64::from_le_bytes(word(4)),
            time: f64::from_le_bytes(word(5)),
            field: Vec::new(),
        };
        let field_bytes = (checksum_at - HEADER_BYTES) as u128;
        let expected = (u128::from(checkpoint.points) + 2) * precision.bytes() as u128;
        if field_bytes != expected {
            return Err(Error::invalid(format!("its field has {field_bytes} bytes instead of {expected}")));
        }
        bytes.truncate(checksum_at);
        checkpoint.field = bytes.split_off(HEADER_BYTES);
        Ok(checkpoint)
    }
}

/// Why, without the name of the temporary file, which is nobody's business.
fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    let why = std::io::Error::from(error.kind());
    Error::writing(path, &why).while_doing("writing a checkpoint")
}

/// Where the file lies.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// `N` bytes at `offset`; the caller has checked that they are there.
fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[offset..offset + N]);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let config = Config { points: 3, ..Config::default() };
        Checkpoint {
            points: 3,
            length: config.length,
            nu: config.nu,
            dt: config.dt,
            precision: Precision::F64,
            step: 17,
            time: 0.017,
            field: (0..40).collect(),
        }
    }

    fn written() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state");
        checkpoint().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (directory, path, bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let (directory, path, _) = written();
        assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint());
        let other = Checkpoint { step: 18, ..checkpoint() };
        other.write(&path).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap(), other);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file stays behind");
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_noticed() {
        let (_directory, _, bytes) = written();
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x40;
            assert!(Checkpoint::decode(damaged).is_err(), "byte {index}");
            assert!(Checkpoint::decode(bytes[..index].to_vec()).is_err(), "cut at {index}");
        }
    }

    #[test]
    fn another_version_is_refused_by_number() {
        let (_directory, _, mut bytes) = written();
        bytes[8] = 9;
        let message = Checkpoint::decode(bytes).unwrap_err().to_string();
        assert!(message.contains("version 9") && message.contains("reads version 1"), "{message}");
    }

    #[test]
    fn another_problem_is_refused_with_both_values() {
        let state = checkpoint();
        state.matches(&state.config(5.0)).unwrap();
        let other = Config { points: 4, nu: 0.5, precision: Precision::F32, ..state.config(2.0) };
        let message = state.matches(&other).unwrap_err().to_string();
        for part in [
            "points is 3 in the checkpoint and 4 in this run",
            "nu is 0.01 in the checkpoint and 0.5 in this run",
            "precision is f64 in the checkpoint and f32 in this run",
        ] {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("dt is"), "{message}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = Checkpoint::read(Path::new("no/such/state")).unwrap_err().to_string();
        assert!(message.contains("no/such/state"), "{message}");
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_an_error() {
        let path = Path::new("no/such/state");
        for error in [checkpoint().write(path).unwrap_err(), Checkpoint::check_destination(path).unwrap_err()] {
            assert_eq!(error.to_string(), "writing a checkpoint: no/such/state: there is no directory no/such");
        }
        assert!(Checkpoint::check_destination(std::env::temp_dir().as_path()).is_err());
        let directory = tempfile::tempdir().unwrap();
        Checkpoint::check_destination(&directory.path().join("state")).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing stays behind");
    }
}
