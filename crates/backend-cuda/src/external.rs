//! Memory and timelines of other APIs (Vulkan), imported by their descriptors.
//!
//! A descriptor that the driver has taken is the driver's to close; one that it refused is closed here. An import names
//! size and kind of the allocation exactly as it was made, and is of the same GPU: the driver checks neither.

use crate::context::Context;
use crate::memory::CudaMemory;
use crate::stream::{CudaStream, downcast_stream};
use cudarc::driver::sys::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_DEDICATED, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    CUexternalMemoryHandleType, CUexternalSemaphore, CUexternalSemaphoreHandleType,
};
use ferrocca_core::backend::{BackendStream, BackendTimeline, DeviceInfo, Exported};
use ferrocca_core::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

/// The parts of a handle, which is one of the device's own GPU.
struct Handle {
    descriptor: OwnedFd,
    bytes: u64,
    dedicated: bool,
}

fn open(exported: Exported, info: &DeviceInfo) -> Result<Handle> {
    let Exported::Fd { descriptor, bytes, dedicated, uuid } = exported else {
        return Err(Error::unsupported("importing this handle", "mode `CUDA` takes file descriptors"));
    };
    if info.uuid == Some(uuid) {
        return Ok(Handle { descriptor, bytes, dedicated });
    }
    let shown = |uuid: [u8; 16]| uuid.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let own = info.uuid.map_or_else(|| "not known to the driver".to_owned(), shown);
    Err(Error::new(ErrorKind::WrongDevice {
        message: format!(
            "a handle of the GPU {} cannot be imported on `{}` of mode `CUDA`, whose UUID is {own}",
            shown(uuid),
            info.name
        ),
    }))
}

/// Maps memory that was exported.
/// # Errors
/// [`ErrorKind::WrongDevice`] for that of another GPU, failures of the driver.
pub(crate) fn import_memory(context: &Arc<Context>, info: &DeviceInfo, exported: Exported) -> Result<CudaMemory> {
    let handle = open(exported, info)?;
    context.make_current()?;
    // SAFETY: plain data, of which all zeros is a value.
    let mut description: CUDA_EXTERNAL_MEMORY_HANDLE_DESC = unsafe { std::mem::zeroed() };
    description.type_ = CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = handle.descriptor.as_raw_fd();
    description.size = handle.bytes;
    description.flags = if handle.dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 };
    let (driver, mut memory) = (context.driver(), std::ptr::null_mut());
    // SAFETY: the context is current; the descriptor is open and names an allocation of this GPU and size.
    let code = unsafe { (driver.import_external_memory)(&mut memory, &description) };
    context.check(code, "cuImportExternalMemory")?;
    // The driver's from now on.
    let _ = handle.descriptor.into_raw_fd();
    // SAFETY: as above.
    let mut buffer: CUDA_EXTERNAL_MEMORY_BUFFER_DESC = unsafe { std::mem::zeroed() };
    buffer.size = handle.bytes;
    let mut pointer = 0;
    // SAFETY: the range is the whole memory, which was imported above.
    let code = unsafe { (driver.external_memory_get_mapped_buffer)(&mut pointer, memory, &buffer) };
    if let Err(error) = context.check(code, "cuExternalMemoryGetMappedBuffer") {
        // SAFETY: imported above, and nothing maps it.
        let _ = unsafe { (driver.destroy_external_memory)(memory) };
        return Err(error);
    }
    Ok(CudaMemory::external(context, memory, pointer, handle.bytes as usize))
}

/// A timeline semaphore of Vulkan's.
pub(crate) struct CudaTimeline {
    raw: CUexternalSemaphore,
    /// Signals are given here alone, because those of different streams could overtake each other.
    signals: CudaStream,
    context: Arc<Context>,
}

// SAFETY: the driver takes calls on a semaphore from any thread.
unsafe impl Send for CudaTimeline {}
// SAFETY: as above.
unsafe impl Sync for CudaTimeline {}

impl CudaTimeline {
    /// # Errors
    /// As [`import_memory`].
    pub(crate) fn import(context: &Arc<Context>, info: &DeviceInfo, exported: Exported) -> Result<Self> {
        let handle = open(exported, info)?;
        let signals = CudaStream::create(context, false)?;
        // SAFETY: plain data, of which all zeros is a value.
        let mut description: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC = unsafe { std::mem::zeroed() };
        description.type_ = CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        description.handle.fd = handle.descriptor.as_raw_fd();
        let mut raw = std::ptr::null_mut();
        // SAFETY: the context is current since the stream was made; the descriptor is open and names a semaphore.
        let code = unsafe { (context.driver().import_external_semaphore)(&mut raw, &description) };
        context.check(code, "cuImportExternalSemaphore")?;
        // The driver's from now on.
        let _ = handle.descriptor.into_raw_fd();
        Ok(Self { raw, signals, context: context.clone() })
    }
}

impl BackendTimeline for CudaTimeline {
    fn signal(&self, stream: &dyn BackendStream, value: u64) -> Result<()> {
        self.signals.wait(&*stream.tag()?)?;
        // SAFETY: plain data, of which all zeros is a value.
        let mut params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = unsafe { std::mem::zeroed() };
        params.params.fence.value = value;
        let driver = self.context.driver();
        // SAFETY: stream and semaphore are of the current context; one of each is read.
        let code = unsafe { (driver.signal_external_semaphores_async)(&self.raw, &params, 1, self.signals.raw()) };
        self.context.check(code, "cuSignalExternalSemaphoresAsync")
    }

    fn wait(&self, stream: &dyn BackendStream, value: u64) -> Result<()> {
        let stream = downcast_stream(stream)?;
        self.context.make_current()?;
        // SAFETY: plain data, of which all zeros is a value.
        let mut params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS = unsafe { std::mem::zeroed() };
        params.params.fence.value = value;
        // SAFETY: as for a signal.
        let code =
            unsafe { (self.context.driver().wait_external_semaphores_async)(&self.raw, &params, 1, stream.raw()) };
        self.context.check(code, "cuWaitExternalSemaphoresAsync")
    }
}

impl Drop for CudaTimeline {
    fn drop(&mut self) {
        // What is queued with it must be done. Where that fails, the context is lost and the semaphore with it.
        if self.context.finish().is_ok() {
            // SAFETY: imported once, destroyed once.
            let _ = unsafe { (self.context.driver().destroy_external_semaphore)(self.raw) };
        }
    }
}
