//! Memory that arrays have let go, kept for the next ones: what arithmetic makes and drops with every operation.
//!
//! Invariants:
//! - A block is handed out again only for work on the stream that it was made for, behind all work that was queued with it.
//!   One that was used on another stream, or that another library was given, goes back to the device, which waits as it
//!   always does before it frees.
//! - What is kept is given back when the device runs out of memory, when it is asked for (`Device.free_pool`), and with the
//!   last handle of the device.
//!
//! Not here: memory of `Device.malloc`, which the device gets back at once, and pools that a program makes itself
//! (`Device.create_memory_pool`).

use ferrocca::{AnyMemory, Device, Element, ErrorKind, Memory, Result, Stream};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// So many bytes are kept whatever is in use; beyond, no more than was in use at once.
const ALWAYS_KEPT: u64 = 64 << 20;

/// The blocks of a device that nobody uses.
#[derive(Default)]
pub(crate) struct Kept {
    streams: Mutex<Vec<OnStream>>,
    bytes: AtomicU64,
    /// The most that was allocated and not kept here.
    peak: AtomicU64,
}

/// By size in bytes.
struct OnStream {
    stream: Stream,
    free: BTreeMap<usize, Vec<Memory<u8>>>,
}

/// The owner of an array's memory: where its block goes in the end.
pub(crate) struct Pooled {
    /// `None` only while it is dropped.
    block: Option<Memory<u8>>,
    stream: Stream,
    kept: Weak<Kept>,
    is_shared: AtomicBool,
}

impl Kept {
    /// Memory for so many elements on the calling thread's current stream; its contents are unspecified.
    pub(crate) fn malloc<T: Element>(self: &Arc<Self>, device: &Device, len: usize) -> Result<AnyMemory> {
        self.malloc_on::<T>(&device.stream(), len)
    }

    /// As [`malloc`](Self::malloc), where that stream is known.
    pub(crate) fn malloc_on<T: Element>(self: &Arc<Self>, stream: &Stream, len: usize) -> Result<AnyMemory> {
        let device = stream.device();
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0 && bytes <= isize::MAX as usize);
        // Devices that watch what was written take each array as new, and memory that two devices share is ordered elsewhere.
        let (Some(bytes), false) = (bytes, device.exports_memory() || watches(&device)) else {
            return device.malloc::<T>(len).map(Memory::into_untyped);
        };
        let block = match self.take(stream, bytes) {
            Some(block) => block,
            None => self.make_room(|| device.malloc::<u8>(bytes))?,
        };
        self.peak.fetch_max(device.memory_allocated().saturating_sub(self.bytes()), Ordering::Relaxed);
        let memory = block.slice(..bytes)?.cast::<T>()?;
        let (kept, is_shared) = (Arc::downgrade(self), AtomicBool::new(false));
        Ok(memory.untyped().lent(Box::new(Pooled { block: Some(block), stream: stream.clone(), kept, is_shared })))
    }

    /// What `allocate` makes; where the device has no memory left for it, what is kept is given back first.
    pub(crate) fn make_room<T>(&self, allocate: impl Fn() -> Result<T>) -> Result<T> {
        match allocate() {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) && self.free() > 0 => allocate(),
            made => made,
        }
    }

    /// Gives back what nobody uses. How many bytes that were.
    pub(crate) fn free(&self) -> u64 {
        let unused = std::mem::take(&mut *self.streams());
        // The device frees outside of the lock: it may wait.
        let bytes = self.bytes.swap(0, Ordering::Relaxed);
        drop(unused);
        bytes
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The smallest block of the stream that holds so many bytes, and not many more.
    fn take(&self, stream: &Stream, bytes: usize) -> Option<Memory<u8>> {
        let mut streams = self.streams();
        let free = &mut streams.iter_mut().find(|on| on.stream == *stream)?.free;
        let (&size, blocks) = free.range_mut(bytes..=bytes + bytes / 8).next()?;
        let block = blocks.pop();
        if blocks.is_empty() {
            free.remove(&size);
        }
        self.bytes.fetch_sub(size as u64, Ordering::Relaxed);
        block
    }

    fn put(&self, stream: &Stream, block: Memory<u8>) {
        let bytes = block.len();
        let mut streams = self.streams();
        let place = streams.iter().position(|on| on.stream == *stream).unwrap_or_else(|| {
            streams.push(OnStream { stream: stream.clone(), free: BTreeMap::new() });
            streams.len() - 1
        });
        streams[place].free.entry(bytes).or_default().push(block);
        drop(streams);
        let kept = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if kept > self.peak.load(Ordering::Relaxed).max(ALWAYS_KEPT) {
            self.free();
        }
    }

    fn streams(&self) -> MutexGuard<'_, Vec<OnStream>> {
        // No code that may panic runs under this lock.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pooled {
    /// Work with the memory is about to be queued on a stream.
    pub(crate) fn used_on(&self, stream: &Stream) {
        if *stream != self.stream {
            self.share();
        }
    }

    fn share(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        if let (false, Some(kept)) = (*self.is_shared.get_mut(), self.kept.upgrade()) {
            kept.put(&self.stream, block);
        }
    }
}

/// Notes that somebody whose work is not ordered here was given the memory's address.
pub(crate) fn note_shared(memory: &AnyMemory) {
    if let Some(pooled) = memory.owner().and_then(|owner| owner.downcast_ref::<Pooled>()) {
        pooled.share();
    }
}

/// Whether the device keeps account of what was written.
fn watches(device: &Device) -> bool {
    device.mode() == "Reference" || device.props().get("checked").is_some()
}
