//! Device memory, chunks of pools, pinned host memory, imported memory, and pointers that somebody else owns.
//!
//! Memory may be dropped while queued work uses it, on any stream of the process: it is freed after a wait for the
//! device. Plain allocations come from `cuMemAlloc`, which every library of the process can map and share. A pool's
//! chunks come from the stream-ordered allocator, which keeps what is freed and hands it out again without asking the
//! system.

use crate::context::Context;
use crate::driver::Code;
use crate::error;
use crate::stream::CudaStream;
use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr, CUexternalMemory, CUmemAllocationHandleType,
    CUmemAllocationType, CUmemLocation_st, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool,
};
use ferrocca_core::backend::{BackendMemory, NativeHandle, Placement};
use ferrocca_core::{Error, Result};
use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

/// A range of memory that kernels of a device address.
pub(crate) struct CudaMemory {
    pointer: CUdeviceptr,
    bytes: usize,
    owner: Owner,
    /// Keeps the context until the memory is freed.
    context: Arc<Context>,
}

enum Owner {
    Device,
    Chunk(Arc<Chunks>),
    /// Where the host addresses it.
    PinnedHost(NonNull<u8>),
    /// The pointer is a mapping of it.
    External(CUexternalMemory),
    Foreign,
}

// SAFETY: a device pointer is a number, and pinned host memory is shared under core's rules; the driver takes calls
// from any thread.
unsafe impl Send for CudaMemory {}
// SAFETY: as above.
unsafe impl Sync for CudaMemory {}

impl CudaMemory {
    /// Memory of `bytes` > 0. What pools hold unused is given back to the driver where it is in the way.
    pub(crate) fn allocate(
        context: &Arc<Context>,
        chunks: &OnceLock<Arc<Chunks>>,
        bytes: usize,
        placement: Placement,
    ) -> Result<Self> {
        let _current = context.make_current()?;
        if placement != Placement::Device {
            return Self::pinned(context, bytes);
        }
        let mut pointer = 0;
        // SAFETY: the context is current; the memory is freed in `drop`.
        let mut allocate = || unsafe { (context.driver().mem_alloc)(&mut pointer, bytes) };
        let mut code = allocate();
        if code == Code::OUT_OF_MEMORY
            && let Some(chunks) = chunks.get()
        {
            chunks.trim();
            code = allocate();
        }
        if code != Code::SUCCESS {
            return Err(context.allocation_failure(code, "cuMemAlloc", bytes));
        }
        Ok(Self { pointer, bytes, owner: Owner::Device, context: context.clone() })
    }

    fn pinned(context: &Arc<Context>, bytes: usize) -> Result<Self> {
        // Write-combined memory, for which there is another flag, is read by the host at a crawl.
        let flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
        let (mut host, mut pointer) = (std::ptr::null_mut(), 0);
        // SAFETY: the context is current; the memory is freed in `drop`.
        let code = unsafe { (context.driver().mem_host_alloc)(&mut host, bytes, flags) };
        let Some(host) = NonNull::new(host.cast::<u8>()).filter(|_| code == Code::SUCCESS) else {
            return Err(context.allocation_failure(code, "cuMemHostAlloc", bytes));
        };
        let mut memory = Self { pointer: 0, bytes, owner: Owner::PinnedHost(host), context: context.clone() };
        // SAFETY: the memory was just allocated for the device to map; the host may read what nobody has written, so it
        // is initialised.
        unsafe {
            let code = (context.driver().mem_host_get_device_pointer)(&mut pointer, host.as_ptr().cast(), 0);
            context.check(code, "cuMemHostGetDevicePointer")?;
            host.as_ptr().write_bytes(0, bytes);
        }
        memory.pointer = pointer;
        Ok(memory)
    }

    /// A pointer that somebody else owns.
    pub(crate) fn foreign(context: &Arc<Context>, pointer: CUdeviceptr, bytes: usize) -> Self {
        Self { pointer, bytes, owner: Owner::Foreign, context: context.clone() }
    }

    /// A mapping of the whole of memory that was imported; both end with the result.
    pub(crate) fn external(
        context: &Arc<Context>,
        memory: CUexternalMemory,
        pointer: CUdeviceptr,
        bytes: usize,
    ) -> Self {
        Self { pointer, bytes, owner: Owner::External(memory), context: context.clone() }
    }

    /// The context of its device.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Where the device addresses it.
    #[inline]
    pub(crate) fn pointer(&self) -> CUdeviceptr {
        self.pointer
    }
}

impl BackendMemory for CudaMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::cuda(self.pointer)
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        match self.owner {
            Owner::PinnedHost(host) => Some(host),
            _ => None,
        }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        if matches!(self.owner, Owner::Foreign) {
            return;
        }
        // The driver's own calls wait too, but only one of them promises it. A failure means that the context is lost,
        // which the next call of the device reports, or that the process ends: the memory is gone with the context.
        let Ok(_current) = self.context.make_current() else { return };
        if self.context.finish().is_err() {
            return;
        }
        let driver = self.context.driver();
        // SAFETY: allocated by the function's counterpart, freed once, and nothing that was queued uses it any more.
        unsafe {
            let _ = match &self.owner {
                Owner::Device => (driver.mem_free)(self.pointer),
                Owner::Chunk(chunks) => (driver.mem_free_async)(self.pointer, chunks.stream.raw()),
                Owner::PinnedHost(host) => (driver.mem_free_host)(host.as_ptr().cast()),
                Owner::External(memory) => {
                    // Mappings go first.
                    let _ = (driver.mem_free)(self.pointer);
                    (driver.destroy_external_memory)(*memory)
                }
                Owner::Foreign => Code::SUCCESS,
            };
        }
    }
}

/// The memory behind a contract reference.
#[inline]
pub(crate) fn downcast(memory: &dyn BackendMemory) -> Result<&CudaMemory> {
    (memory as &dyn Any).downcast_ref().ok_or_else(foreign_memory)
}

#[cold]
fn foreign_memory() -> Error {
    error::internal("memory of another backend reached the CUDA backend")
}

/// Where the chunks of a device's pools come from: a pool of the stream-ordered allocator, of our own.
pub(crate) struct Chunks {
    pool: CUmemoryPool,
    /// Orders allocation and release; nothing else runs on it, so that a wait for it waits for no kernel.
    stream: CudaStream,
    context: Arc<Context>,
}

// SAFETY: the driver takes calls on a memory pool from any thread.
unsafe impl Send for Chunks {}
// SAFETY: as above.
unsafe impl Sync for Chunks {}

impl Chunks {
    /// A new one for a device that has the stream-ordered allocator.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Arc<Self>> {
        let _current = context.make_current()?;
        let stream = CudaStream::create(context, false)?;
        let props = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: CUmemLocation_st { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: context.device() },
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut pool = std::ptr::null_mut();
        // SAFETY: the context is current; the pool is destroyed in `drop`.
        let code = unsafe { (context.driver().mem_pool_create)(&mut pool, &props) };
        context.check(code, "cuMemPoolCreate")?;
        let chunks = Arc::new(Self { pool, stream, context: context.clone() });
        let mut keep = u64::MAX;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as u32;
        // SAFETY: the attribute is a 64-bit number.
        let code =
            unsafe { (context.driver().mem_pool_set_attribute)(pool, attribute, (&raw mut keep).cast::<c_void>()) };
        context.check(code, "cuMemPoolSetAttribute")?;
        Ok(chunks)
    }

    /// One chunk, which every stream may use as soon as this returns.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<CudaMemory> {
        let _current = self.context.make_current()?;
        let mut pointer = 0;
        // SAFETY: pool and stream are of the current context; the memory is freed in `drop`.
        let code = unsafe {
            (self.context.driver().mem_alloc_from_pool_async)(&mut pointer, bytes, self.pool, self.stream.raw())
        };
        if code != Code::SUCCESS {
            return Err(self.context.allocation_failure(code, "cuMemAllocFromPoolAsync", bytes));
        }
        let owner = Owner::Chunk(self.clone());
        let memory = CudaMemory { pointer, bytes, owner, context: self.context.clone() };
        self.stream.wait_for_all()?;
        Ok(memory)
    }

    /// Gives back to the driver what is not in use.
    fn trim(&self) {
        // What was freed in the order of a stream counts as in use until the host has seen that it is done.
        let Ok(_current) = self.context.make_current() else { return };
        let _ = self.stream.wait_for_all();
        // SAFETY: the pool lives. Failing, it keeps what it has.
        let _ = unsafe { (self.context.driver().mem_pool_trim_to)(self.pool, 0) };
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.make_current() {
            // SAFETY: created once, destroyed once, after the last chunk of it.
            let _ = unsafe { (self.context.driver().mem_pool_destroy)(self.pool) };
        }
    }
}
