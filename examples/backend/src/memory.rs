//! Memory without a host address. Commands in a queue keep it alive by its buffer.

use ferrocca_core::backend::{Api, BackendMemory, NativeHandle};
use ferrocca_core::{Error, ErrorKind, Result};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

/// Whose addresses they are: an API that Ferrocca has never heard of, and neither has DLPack.
pub(crate) const WORKER_API: Api = Api::new("Worker", Api::DLPACK_UNKNOWN);

pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the bytes are touched by stream threads alone, in the order that the caller gave with streams and tags.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn allocate(bytes: usize) -> Result<Arc<Self>> {
        let out_of_memory = || Error::new(ErrorKind::OutOfMemory { requested: bytes as u64, free: None });
        let layout = Layout::from_size_align(bytes.max(1), 64).map_err(|_| out_of_memory())?;
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok(Arc::new(Self { start, layout }))
    }

    /// Address of a byte.
    pub(crate) fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: core checked that the offset lies in the memory.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

pub(crate) struct WorkerMemory {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) bytes: usize,
}

impl BackendMemory for WorkerMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::Address { api: WORKER_API, address: self.buffer.start.as_ptr() as u64 }
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        None
    }
}

/// The buffer behind a contract reference.
pub(crate) fn buffer(memory: &dyn BackendMemory) -> Result<&Arc<Buffer>> {
    let ours = (memory as &dyn Any).downcast_ref::<WorkerMemory>();
    ours.map(|memory| &memory.buffer).ok_or_else(|| Error::invalid("memory of another backend"))
}
