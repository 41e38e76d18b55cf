//! Many small memories out of few allocations.
//!
//! A pool grows by whole chunks and never moves a reservation. A reservation is ordinary [`Memory`]; when its last
//! handle is gone its range returns to the pool and joins its free neighbours. A range that returns may be reserved
//! again at once: work on *another* stream that still uses it must be waited for first.

use crate::backend::BackendMemory;
use crate::device::{Device, DeviceInner, size_in_bytes};
use crate::dtype::Element;
use crate::memory::{Allocation, AnyMemory, Memory};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Chunks are at least this large unless the pool was made with another size.
const DEFAULT_CHUNK_BYTES: usize = 1 << 20;
/// Reservations start at multiples of this: what vector units and every GPU's binding offsets ask for.
const ALIGNMENT: usize = 256;

/// A pool of a device's memory. A clone is another handle of the same pool.
#[derive(Clone)]
pub struct MemoryPool {
    inner: Arc<Inner>,
}

/// How a pool is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Allocations of the device.
    pub chunks: usize,
    /// Bytes of all chunks.
    pub bytes: usize,
    /// Bytes that are reserved, rounded up to the alignment.
    pub reserved_bytes: usize,
    /// Live reservations.
    pub reservations: usize,
    /// Largest range that can be reserved without growing.
    pub largest_free_bytes: usize,
}

struct Inner {
    device: Arc<DeviceInner>,
    state: Mutex<State>,
}

struct State {
    chunk_bytes: usize,
    /// Never reordered: a reservation knows its chunk by `id`.
    chunks: Vec<Chunk>,
    next_id: u64,
    reservations: usize,
}

struct Chunk {
    id: u64,
    backend: Arc<dyn BackendMemory>,
    /// Holds the chunk's place in the device's accounts.
    _allocation: Arc<Allocation>,
    bytes: usize,
    /// Start and length of each free range; no two touch.
    free: BTreeMap<usize, usize>,
}

/// Returns its range when dropped.
struct Reservation {
    pool: Arc<Inner>,
    chunk: u64,
    start: usize,
    bytes: usize,
}

impl MemoryPool {
    pub(crate) fn new(device: &Device) -> Self {
        let state = State { chunk_bytes: DEFAULT_CHUNK_BYTES, chunks: Vec::new(), next_id: 0, reservations: 0 };
        Self { inner: Arc::new(Inner { device: device.inner.clone(), state: Mutex::new(state) }) }
    }

    /// The device it belongs to.
    pub fn device(&self) -> Device {
        Device::from_inner(self.inner.device.clone())
    }

    /// Sets the least size of the chunks that are allocated from now on, in bytes.
    pub fn set_chunk_bytes(&self, bytes: usize) {
        self.inner.state().chunk_bytes = bytes.max(ALIGNMENT);
    }

    /// Memory for `len` elements; its contents are unspecified.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the size overflows, [`crate::ErrorKind::OutOfMemory`].
    pub fn reserve<T: Element>(&self, len: usize) -> Result<Memory<T>> {
        let bytes = size_in_bytes::<T>(len)?;
        if bytes == 0 {
            return self.device().malloc(0);
        }
        let too_big = || Error::out_of_bounds(format!("{len} elements of {} do not fit a pool's chunk", T::DTYPE));
        let rounded =
            bytes.checked_next_multiple_of(ALIGNMENT).filter(|&b| b <= isize::MAX as usize).ok_or_else(too_big)?;
        // Kernels count a slice's start in elements, so it must be a multiple of their size too.
        let step = least_common_multiple(ALIGNMENT, size_of::<T>()).ok_or_else(too_big)?;
        let mut state = self.inner.state();
        let found = state
            .chunks
            .iter_mut()
            .find_map(|chunk| chunk.take(rounded, step).map(|start| (chunk.id, chunk.backend.clone(), start)));
        let (chunk, backend, start) = match found {
            Some(found) => found,
            None => {
                let wanted = rounded.max(state.chunk_bytes.next_multiple_of(ALIGNMENT));
                let chunk = state.grow(&self.inner.device, wanted)?;
                let start = chunk.take(rounded, step).ok_or_else(too_big)?;
                (chunk.id, chunk.backend.clone(), start)
            }
        };
        state.reservations += 1;
        drop(state);
        let reservation = Reservation { pool: self.inner.clone(), chunk, start, bytes: rounded };
        let allocation = Allocation::borrowed(self.inner.device.clone(), backend, Some(Box::new(reservation)));
        Ok(Memory::from_any(AnyMemory { allocation, offset_bytes: start, bytes, dtype: T::DTYPE }))
    }

    /// Allocates a chunk, unless the pool has `bytes` in all already.
    /// # Errors
    /// [`crate::ErrorKind::OutOfMemory`].
    pub fn grow_to(&self, bytes: usize) -> Result<()> {
        let mut state = self.inner.state();
        let have: usize = state.chunks.iter().map(|chunk| chunk.bytes).sum();
        if bytes <= have {
            return Ok(());
        }
        let missing = (bytes - have)
            .checked_next_multiple_of(ALIGNMENT)
            .filter(|&b| b <= isize::MAX as usize)
            .ok_or_else(|| Error::out_of_bounds(format!("a pool of {bytes} bytes is too large to address")))?;
        state.grow(&self.inner.device, missing).map(|_| ())
    }

    /// Frees the chunks of which nothing is reserved.
    pub fn shrink(&self) {
        self.inner.state().chunks.retain(|chunk| !chunk.is_unused());
    }

    /// How it is used.
    pub fn stats(&self) -> PoolStats {
        let state = self.inner.state();
        let bytes = state.chunks.iter().map(|chunk| chunk.bytes).sum();
        let free = || state.chunks.iter().flat_map(|chunk| chunk.free.values().copied());
        PoolStats {
            chunks: state.chunks.len(),
            bytes,
            reserved_bytes: bytes - free().sum::<usize>(),
            reservations: state.reservations,
            largest_free_bytes: free().max().unwrap_or(0),
        }
    }
}

impl fmt::Debug for MemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryPool({:?} on {})", self.stats(), self.inner.device.label())
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn grow(&mut self, device: &Arc<DeviceInner>, bytes: usize) -> Result<&mut Chunk> {
        let backend = device
            .backend
            .allocate_chunk(bytes)
            .map_err(|e| e.while_doing(format!("growing a memory pool by {bytes} bytes")))?;
        let allocation = Allocation::owned(device.clone(), backend.clone());
        let id = self.next_id;
        self.next_id += 1;
        self.chunks.push(Chunk { id, backend, _allocation: allocation, bytes, free: BTreeMap::from([(0, bytes)]) });
        let last = self.chunks.len() - 1;
        Ok(&mut self.chunks[last])
    }
}

impl Chunk {
    fn is_unused(&self) -> bool {
        self.free.get(&0) == Some(&self.bytes)
    }

    /// Takes `bytes` that start at a multiple of `step` out of the smallest free range that holds them.
    fn take(&mut self, bytes: usize, step: usize) -> Option<usize> {
        let fits = |(&from, &len): (&usize, &usize)| {
            let start = from.checked_next_multiple_of(step)?;
            (start.checked_add(bytes)? <= from + len).then_some((len, from, start))
        };
        let (len, from, start) = self.free.iter().filter_map(fits).min()?;
        self.free.remove(&from);
        if start > from {
            self.free.insert(from, start - from);
        }
        if start + bytes < from + len {
            self.free.insert(start + bytes, from + len - start - bytes);
        }
        Some(start)
    }

    /// Puts a range back and joins it with its free neighbours.
    fn give_back(&mut self, mut start: usize, mut bytes: usize) {
        if let Some((&before, &len)) = self.free.range(..start).next_back()
            && before + len == start
        {
            self.free.remove(&before);
            start = before;
            bytes += len;
        }
        if let Some(len) = self.free.remove(&(start + bytes)) {
            bytes += len;
        }
        self.free.insert(start, bytes);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.reservations -= 1;
        if let Some(chunk) = state.chunks.iter_mut().find(|chunk| chunk.id == self.chunk) {
            chunk.give_back(self.start, self.bytes);
        }
    }
}

fn least_common_multiple(a: usize, b: usize) -> Option<usize> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}
