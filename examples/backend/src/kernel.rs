//! A kernel: a function of a shared library, called with a job.

use crate::dialect::WorkerHints;
use crate::memory::{Buffer, buffer};
use crate::stream::downcast;
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use ferrocca_core::{Error, Result};
use libloading::Library;
use okl::signature::NestSignature;
use std::ffi::c_void;
use std::sync::Arc;

/// What an entry takes: `w_job` in [`crate::dialect`].
#[repr(C)]
struct Job {
    arguments: *const *mut c_void,
    sizes: *const i64,
    begin: i64,
    end: i64,
    scratch: *mut c_void,
}

type Entry = unsafe extern "C" fn(*const Job);

pub(crate) struct WorkerKernel {
    entry: Entry,
    scratch_bytes: u64,
    // Keeps `entry` valid; shared by all nests of the kernel and by commands in flight.
    library: Arc<Library>,
}

impl WorkerKernel {
    pub(crate) fn find(library: &Arc<Library>, nest: &NestSignature) -> Result<Self> {
        // SAFETY: the library was compiled from text whose entries have this type.
        let entry = unsafe { library.get::<Entry>(nest.entry.as_bytes()) };
        let entry = *entry.map_err(|error| Error::invalid(error.to_string()))?;
        let WorkerHints { scratch_bytes } = nest.hints.read().map_err(Error::invalid)?;
        Ok(Self { entry, scratch_bytes, library: library.clone() })
    }
}

/// An argument that a queued launch owns.
enum Owned {
    Memory(Option<Arc<Buffer>>, usize),
    /// 8-byte words, so that every scalar and struct is aligned.
    Value(Vec<u64>),
}

impl Owned {
    fn take(argument: &PackedArgument<'_>) -> Result<Self> {
        Ok(match argument {
            PackedArgument::Memory { memory, offset_bytes, .. } => {
                Self::Memory(memory.map(buffer).transpose()?.cloned(), *offset_bytes as usize)
            }
            PackedArgument::Value(bytes) => Self::Value(bytes.chunks(8).map(word).collect()),
        })
    }

    fn address(&mut self) -> *mut c_void {
        match self {
            Self::Memory(Some(buffer), offset) => buffer.at(*offset).cast(),
            Self::Memory(None, _) => std::ptr::null_mut(),
            Self::Value(words) => words.as_mut_ptr().cast(),
        }
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(padded)
}

impl BackendKernel for WorkerKernel {
    fn max_inner(&self) -> u64 {
        4096
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let mut owned = arguments.iter().map(Owned::take).collect::<Result<Vec<_>>>()?;
        let sizes: Vec<i64> = dims.outer.iter().chain(&dims.inner).map(|&n| n as i64).collect();
        let scratch = Buffer::allocate((self.scratch_bytes * dims.inner.iter().product::<u64>()) as usize)?;
        let (entry, library) = (self.entry, self.library.clone());
        downcast(stream)?.push(move || {
            let addresses: Vec<_> = owned.iter_mut().map(Owned::address).collect();
            let groups = sizes[..3].iter().product();
            let scratch = scratch.at(0).cast();
            let job = Job { arguments: addresses.as_ptr(), sizes: sizes.as_ptr(), begin: 0, end: groups, scratch };
            // SAFETY: the arguments fit the signature (core), live in this command, and the library is kept below.
            unsafe { entry(&job) };
            drop(library);
        })
    }
}
