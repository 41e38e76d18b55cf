//! What keeps a view's memory alive, and orders the streams that use it.
//!
//! The last one to let go gives the memory back through a queue: on any thread, without Python's lock, also while the
//! interpreter ends.

use crate::borrowed::{self, note_use};
use crate::error::OrRaise;
use crate::interrupt;
use crate::reuse;
use crate::shared;
use ferrocca::insitu::abi::{CopyAbi, ErrorSink, HostTable, Status, Text};
use ferrocca::insitu::{Location, ReleaseQueue, finish_device, hand_over, memory_on_cuda, take_back};
use ferrocca::{AnyMemory, Error, Result, Stream};
use pyo3::prelude::*;
use std::ffi::c_void;

/// Memory of this image that views have let go.
static RELEASED: ReleaseQueue = ReleaseQueue::new();

/// Frees what views have let go, and lets go the arrays of others whose work is done; called where the library is entered
/// and memory is made, freed or counted, and where the host has waited.
pub(crate) fn free_released() {
    RELEASED.drain();
    borrowed::release_done();
}

/// Frees what views have let go, wherever they were dropped; called where work is queued.
pub(crate) fn free_dropped(py: Python<'_>) {
    if !RELEASED.is_empty() {
        // A driver may wait here for work that itself waits for Python's lock.
        py.detach(|| RELEASED.drain());
    }
}

/// Lets something of this image go where memory is, on whichever thread and without Python's lock.
pub(crate) fn release_later<T: Send + 'static>(kept: T) {
    RELEASED.push(Box::new(kept));
}

/// As the last field of a Python object: frees the memory that the fields before it have let go. A deleter that another
/// library calls on a thread of its own does not do this; its memory waits for the next work that is queued.
pub(crate) struct FreeAtDrop;

impl Drop for FreeAtDrop {
    fn drop(&mut self) {
        // There is no lock to take while the interpreter ends.
        let _ = Python::try_attach(free_dropped);
    }
}

/// What keeps the memory alive.
pub(crate) enum Owner {
    /// Memory of the program that runs this script.
    Program(ProgramHandle),
    /// Memory of this image's library.
    Library(LibraryMemory),
}

/// A copy on the device: its owner, and where it lies.
pub(crate) struct Duplicate {
    pub(crate) owner: Owner,
    pub(crate) data: u64,
    pub(crate) byte_offset: u64,
}

impl Owner {
    /// Memory that the calling thread's current stream works on, whichever that is when it is asked.
    pub(crate) fn library(memory: AnyMemory) -> Self {
        Self::Library(LibraryMemory { memory: Some(memory), stream: None })
    }

    /// A field of a frame: `stream` wrote it.
    pub(crate) fn field(memory: AnyMemory, stream: Stream) -> Self {
        Self::Library(LibraryMemory { memory: Some(memory), stream: Some(stream) })
    }

    /// Whether its contents never change.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, Self::Library(LibraryMemory { memory: Some(memory), .. }) if memory.is_constant())
    }

    /// Notes that somebody whose work is not ordered here was given the memory's address.
    pub(crate) fn note_shared(&self) {
        if let Self::Library(LibraryMemory { memory: Some(memory), .. }) = self {
            reuse::note_shared(memory);
        }
    }

    /// The whole memory, on the host. Ctrl-C ends it, but for memory of the program.
    pub(crate) fn copy_to_host(&self, py: Python<'_>, bytes: &mut [u8]) -> PyResult<()> {
        match self {
            Self::Program(kept) => py
                .detach(|| {
                    kept.call(|host, handle, sink| {
                        // SAFETY: the handle is live, the bytes are ours, the sink outlives the call.
                        unsafe { (host.copy_to_host)(handle, bytes.as_mut_ptr(), bytes.len(), sink) }
                    })
                })
                .or_raise(),
            Self::Library(kept) => {
                self.wait(py)?;
                let size = kept.memory.as_ref().map_or(1, |memory| memory.dtype().bytes());
                interrupt::copy(py, (bytes.len() / size, size), |range| {
                    let piece = &mut bytes[range.start * size..range.end * size];
                    kept.on_stream(|memory| memory.slice(range)?.copy_to_bytes(piece))
                })
            }
        }
    }

    /// Overwrites the whole memory, in the order of its stream.
    pub(crate) fn copy_from_host(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let copied = py.detach(|| match self {
            Self::Program(kept) => kept.call(|host, handle, sink| {
                // SAFETY: the handle is live, the bytes are borrowed, the sink outlives the call.
                unsafe { (host.copy_from_host)(handle, bytes.as_ptr(), bytes.len(), sink) }
            }),
            Self::Library(kept) => kept.on_stream(|memory| memory.clone().copy_from_bytes(bytes)),
        });
        copied.or_raise()
    }

    /// Waits on the host for what is queued on the memory's stream.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            // SAFETY: the handle is live, the sink outlives the call.
            Self::Program(kept) => kept.call(|host, handle, sink| unsafe { (host.synchronize)(handle, sink) }),
            Self::Library(kept) => kept.stream().map_or(Ok(()), |stream| stream.finish()),
        }
    }

    /// The same; Ctrl-C ends it, but for memory of the program.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<()> {
        if let Self::Library(kept) = self
            && let Some(stream) = kept.stream()
        {
            interrupt::wait(py, |limit| stream.finish_within(limit))?;
        }
        py.detach(|| self.synchronize()).or_raise()
    }

    /// Waits on the host for everything on the device, also on streams that nobody told us of.
    pub(crate) fn finish_device(&self, py: Python<'_>) -> PyResult<()> {
        match self {
            Self::Program(kept) => {
                // SAFETY: as above.
                py.detach(|| kept.call(|host, handle, sink| unsafe { (host.finish_device)(handle, sink) })).or_raise()
            }
            Self::Library(kept) => {
                let Some(memory) = &kept.memory else { return Ok(()) };
                let device = memory.device();
                interrupt::wait(py, |limit| device.finish_within(limit))?;
                py.detach(|| finish_device(&device)).or_raise()
            }
        }
    }

    /// Work that is queued on `stream` from now on comes after what is queued on the memory's.
    ///
    /// # Safety
    /// `stream` is 1, 2 or a live stream of the driver context of the memory's device.
    pub(crate) unsafe fn hand_over(&self, stream: u64) -> Result<()> {
        match self {
            // SAFETY: as above, and the caller's duty.
            Self::Program(kept) => kept.call(|host, handle, sink| unsafe { (host.hand_over)(handle, stream, sink) }),
            Self::Library(kept) => kept.stream().map_or(Ok(()), |own| {
                shared::note(&own.device());
                // SAFETY: the caller's duty.
                unsafe { hand_over(&own, stream) }
            }),
        }
    }

    /// Work that is queued on the memory's stream from now on comes after what is queued on `stream`.
    ///
    /// # Safety
    /// As [`hand_over`](Self::hand_over).
    pub(crate) unsafe fn take_back(&self, stream: u64) -> Result<()> {
        match self {
            // SAFETY: as above.
            Self::Program(kept) => kept.call(|host, handle, sink| unsafe { (host.take_back)(handle, stream, sink) }),
            // SAFETY: as above.
            Self::Library(kept) => kept.stream().map_or(Ok(()), |own| unsafe { take_back(&own, stream) }),
        }
    }

    /// Native handle of the memory's stream; `recorded` where only the program knows it.
    pub(crate) fn stream_handle(&self, recorded: u64) -> u64 {
        match self {
            Self::Program(_) => recorded,
            Self::Library(kept) => kept.stream().map_or(recorded, |stream| stream.handle()),
        }
    }

    /// Why memory that its device exports is not CUDA's; `None` for other memory, and where only the program knows.
    pub(crate) fn refusal_of_cuda(&self) -> Option<Error> {
        match self {
            Self::Program(_) => None,
            Self::Library(kept) => memory_on_cuda(kept.memory.as_ref()?)?.err(),
        }
    }

    /// A copy of the whole memory on its device, in the order of its stream.
    pub(crate) fn duplicate(&self) -> Result<Duplicate> {
        match self {
            Self::Program(kept) => {
                let mut copy = CopyAbi { handle: std::ptr::null_mut(), data: 0, byte_offset: 0 };
                kept.call(|host, handle, sink| {
                    // SAFETY: the handle is live, the copy is ours to be written, the sink outlives the call.
                    unsafe { (host.duplicate)(handle, &raw mut copy, sink) }
                })?;
                let CopyAbi { handle, data, byte_offset } = copy;
                Ok(Duplicate { owner: Self::Program(ProgramHandle { host: kept.host, handle }), data, byte_offset })
            }
            Self::Library(kept) => {
                let memory = kept.on_stream(|memory| {
                    note_use(memory);
                    memory.duplicate()
                })?;
                let Location { data, byte_offset, .. } = Location::of(&memory);
                let owner = Self::Library(LibraryMemory { memory: Some(memory), stream: kept.stream.clone() });
                Ok(Duplicate { owner, data, byte_offset })
            }
        }
    }
}

/// Memory of this image.
pub(crate) struct LibraryMemory {
    /// `None` only while it is dropped.
    memory: Option<AnyMemory>,
    stream: Option<Stream>,
}

impl LibraryMemory {
    fn stream(&self) -> Option<Stream> {
        self.stream.clone().or_else(|| self.memory.as_ref().map(|memory| memory.device().stream()))
    }

    /// Runs `work` with the memory's stream as the calling thread's current one.
    fn on_stream<R>(&self, work: impl FnOnce(&AnyMemory) -> Result<R>) -> Result<R> {
        let Some(memory) = &self.memory else {
            return Err(Error::invalid("this memory was released"));
        };
        let device = memory.device();
        let current = device.stream();
        match &self.stream {
            Some(stream) if *stream != current => {
                device.set_stream(stream)?;
                let done = work(memory);
                device.set_stream(&current)?;
                done
            }
            _ => work(memory),
        }
    }
}

impl Drop for LibraryMemory {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            RELEASED.push(Box::new((memory, self.stream.take())));
        }
    }
}

/// A handle that the program that runs the script gave out.
pub(crate) struct ProgramHandle {
    host: &'static HostTable,
    handle: *mut c_void,
}

// SAFETY: the ABI lets handles be used and released on any thread.
unsafe impl Send for ProgramHandle {}
// SAFETY: as above; the table's functions take the handle by shared reference.
unsafe impl Sync for ProgramHandle {}

impl ProgramHandle {
    /// Retains the memory of a field.
    ///
    /// # Safety
    /// `owner` is the owner of a field of the ABI call under way.
    pub(crate) unsafe fn retain(host: &'static HostTable, owner: *const c_void) -> Option<Self> {
        // SAFETY: the caller's duty is the function's.
        let handle = unsafe { (host.retain)(owner) };
        (!handle.is_null()).then(|| Self { host, handle })
    }

    /// Calls the program with a sink for its reason to fail.
    fn call(&self, function: impl FnOnce(&HostTable, *const c_void, *const ErrorSink) -> Status) -> Result<()> {
        unsafe extern "C" fn write(context: *mut c_void, text: Text) {
            // SAFETY: the context is the string below, and the text is borrowed for the call.
            unsafe { (*context.cast::<String>()).push_str(&text.read()) };
        }
        let mut reason = String::new();
        let sink = ErrorSink { context: (&raw mut reason).cast(), write };
        match function(self.host, self.handle, &raw const sink) {
            Status::DONE => Ok(()),
            _ if reason.is_empty() => {
                Err(Error::invalid("the program that runs the solver failed, and gave no reason"))
            }
            _ => Err(Error::invalid(reason)),
        }
    }
}

impl Drop for ProgramHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and this is its last use. The program only enqueues it.
        unsafe { (self.host.release)(self.handle) };
    }
}
