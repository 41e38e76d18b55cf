//! What the driver of tests does with memory and timelines of other APIs: it takes the descriptor, and notes what it was
//! told. Its mappings are memory of its own.

use super::{Inside, allocate, call, with};
use crate::driver::{Code, Driver};
use std::os::fd::FromRawFd;

/// What it knows of other APIs.
#[derive(Default)]
pub(super) struct External {
    imports: Vec<Import>,
    live: usize,
    timeline: Vec<TimelineEvent>,
}

/// What was imported, as the driver was told of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Import {
    /// The driver's name of the kind of handle.
    pub(crate) kind: u32,
    pub(crate) bytes: u64,
    pub(crate) flags: u32,
}

/// An event of a timeline: what was done, the value, the stream.
pub(crate) type TimelineEvent = (&'static str, u64, usize);

/// What was imported so far, and what of it was not destroyed.
pub(crate) fn imports() -> (Vec<Import>, usize) {
    with(|state| (state.external.imports.clone(), state.external.live))
}

/// What was queued on timelines so far.
pub(crate) fn timeline_events() -> Vec<TimelineEvent> {
    with(|state| state.external.timeline.clone())
}

/// Notes an import, and closes its descriptor: it is the driver's now.
///
/// # Safety
/// The descriptor is open, and nobody else closes it.
unsafe fn import(descriptor: i32, import: Import) {
    // SAFETY: by the caller.
    drop(unsafe { std::os::fd::OwnedFd::from_raw_fd(descriptor) });
    with(|state| {
        state.external.imports.push(import);
        state.external.live += 1;
    });
}

pub(super) fn fill(driver: &mut Driver) {
    use cudarc::driver::sys::{
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUexternalMemory,
        CUexternalSemaphore, CUstream,
    };
    functions! { driver;
        import_external_memory(memory: *mut CUexternalMemory, description: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC) {
            let CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, handle, size, flags, .. } = *description;
            import(handle.fd, Import { kind: type_ as u32, bytes: size, flags });
            *memory = 0x8000 as _;
        }
        external_memory_get_mapped_buffer(
            pointer: *mut u64, _memory: CUexternalMemory, description: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC
        ) {
            let CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, .. } = *description;
            assert_eq!((offset, Some(size)), (0, imports().0.last().map(|import| import.bytes)), "the whole is mapped");
            *pointer = allocate(size as usize).expect("there is room");
        }
        destroy_external_memory(_memory: CUexternalMemory) { with(|state| state.external.live -= 1) }
        import_external_semaphore(
            semaphore: *mut CUexternalSemaphore, description: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
        ) {
            let CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, handle, flags, .. } = *description;
            import(handle.fd, Import { kind: type_ as u32, bytes: 0, flags });
            *semaphore = 0x9000 as _;
        }
        destroy_external_semaphore(_semaphore: CUexternalSemaphore) { with(|state| state.external.live -= 1) }
        signal_external_semaphores_async(
            _semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, _count: u32,
            stream: CUstream
        ) { with(|state| state.external.timeline.push(("signal", (*params).params.fence.value, stream as usize))) }
        wait_external_semaphores_async(
            _semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, _count: u32,
            stream: CUstream
        ) { with(|state| state.external.timeline.push(("wait", (*params).params.fence.value, stream as usize))) }
    }
}
