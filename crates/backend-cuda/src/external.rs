//! Memory and timelines of other APIs (Vulkan), imported by their descriptors.
//!
//! A descriptor that the driver has taken is the driver's to close; one that it refused is closed here. An import names
//! size and kind of the allocation exactly as it was made, and is of the same GPU: the driver checks neither.

use crate::context::Context;
use crate::memory::CudaMemory;
use crate::stream::{CudaStream, downcast_stream};
use cudarc::driver::sys::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_DEDICATED, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 as MemoryHandle, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1 as SemaphoreHandle, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUexternalMemoryHandleType, CUexternalSemaphore,
    CUexternalSemaphoreHandleType,
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
    let Exported::Fd { descriptor, bytes, dedicated, uuid, .. } = exported else {
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
    let _current = context.make_current()?;
    let description = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CUexternalMemoryHandleType::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        handle: MemoryHandle { fd: handle.descriptor.as_raw_fd() },
        size: handle.bytes,
        flags: if handle.dedicated { CUDA_EXTERNAL_MEMORY_DEDICATED } else { 0 },
        reserved: [0; 16],
    };
    let (driver, mut memory) = (context.driver(), std::ptr::null_mut());
    // SAFETY: the context is current; the descriptor is open and names an allocation of this GPU and size.
    let code = unsafe { (driver.import_external_memory)(&mut memory, &description) };
    context.check(code, "cuImportExternalMemory")?;
    // The driver's from now on.
    let _ = handle.descriptor.into_raw_fd();
    let buffer = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: handle.bytes, flags: 0, reserved: [0; 16] };
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
        let description = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CUexternalSemaphoreHandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
            handle: SemaphoreHandle { fd: handle.descriptor.as_raw_fd() },
            flags: 0,
            reserved: [0; 16],
        };
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
        let _current = self.context.make_current()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::CudaBackend;
    use crate::driver::Code;
    use crate::fake;
    use ferrocca_conformance::null::{Call, NullBackend, UUID};
    use ferrocca_core::Device;

    static FAKE: CudaBackend = CudaBackend::on(fake::driver);

    fn cuda(id: u32) -> Device {
        Device::open_with(&FAKE, format!("device_id={id}")).expect("the fake driver has two devices")
    }

    /// The null device, which exports descriptors of nothing.
    fn exporter() -> (NullBackend, Device) {
        let backend = NullBackend::new();
        backend.set_exports(true);
        let device = Device::open_with(&backend, ()).expect("it opens");
        (backend, device)
    }

    /// Whether the driver was given another kind of handle, size or flags.
    fn check_last_import(kind: u32, bytes: u64, flags: u32) {
        let (imports, _) = fake::imports();
        let last = imports.last().expect("something was imported");
        assert_eq!((last.kind, last.bytes, last.flags), (kind, bytes, flags));
    }

    #[test]
    fn an_allocation_is_imported_once_with_its_own_size_and_freed_after_its_last_view() {
        let ((backend, there), here) = (exporter(), cuda(0));
        let memory = there.malloc::<f64>(700).expect("memory");
        let first = here.import_memory(memory.untyped()).expect("it is imported");
        let slice = here.import_memory(memory.slice(100..).expect("a slice").untyped()).expect("it is imported");
        // The allocation is longer than what was asked for; kind 1 is an opaque descriptor.
        check_last_import(1, 8192, CUDA_EXTERNAL_MEMORY_DEDICATED);
        assert_eq!((fake::count("import_external_memory"), backend.count(Call::Export)), (1, 1));
        assert_eq!(slice.ptr() as usize, first.ptr() as usize + 800);
        assert_eq!((slice.len(), here.memory_allocated(), there.memory_allocated()), (600, 0, 5600));
        drop((memory, first));
        assert_eq!((fake::imports().1, backend.count(Call::Free)), (1, 0), "the slice keeps both");
        drop(slice);
        assert_eq!((fake::imports().1, fake::allocated().0, backend.count(Call::Free)), (0, 0, 1));
        // A mapping goes before what it maps.
        assert_eq!((fake::count("mem_free"), fake::count("destroy_external_memory")), (1, 1));
    }

    #[test]
    fn memory_of_other_hardware_is_refused_by_name() {
        let ((_, there), here) = (exporter(), cuda(1));
        let memory = there.malloc::<f64>(8).expect("memory");
        let error = here.import_memory(memory.untyped()).expect_err("another GPU");
        assert!(matches!(error.kind(), ErrorKind::WrongDevice { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("`Fake GPU`") && text.contains("01010101") && text.contains("746865206e"), "{text}");
        assert_eq!(fake::count("import_external_memory"), 0);
        let silent = Device::open_with(&NullBackend::new(), ()).expect("it opens");
        let error = here.import_memory(silent.malloc::<u8>(8).expect("memory").untyped()).expect_err("no export");
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error:?}");
    }

    #[test]
    fn a_descriptor_that_the_driver_refuses_is_closed_and_what_it_took_is_destroyed() {
        use std::io::Write;
        let here = cuda(0);
        let import = |descriptor: OwnedFd| {
            let exported = Exported::memory_fd(descriptor, 64, false, UUID);
            here.backend().import(exported).map(drop)
        };
        // Once a reader is closed, its writer fails: that shows whether anybody still has it.
        let (read, mut write) = std::io::pipe().expect("a pipe");
        fake::fail("import_external_memory", 1, Code(999));
        let error = import(read.into()).expect_err("the driver refuses").to_string();
        assert!(error.contains("cuImportExternalMemory: error 999, CUDA_ERROR_OF_A_TEST"), "{error}");
        assert!(write.write_all(b"x").is_err(), "the descriptor is open");
        let (read, mut write) = std::io::pipe().expect("a pipe");
        fake::fail("external_memory_get_mapped_buffer", 1, Code(999));
        let error = import(read.into()).expect_err("the driver does not map it").to_string();
        assert!(error.contains("cuExternalMemoryGetMappedBuffer"), "{error}");
        assert_eq!(fake::imports().1, 0);
        assert!(write.write_all(b"x").is_err(), "the descriptor is open");
        import(std::fs::File::open("/dev/null").expect("it is there").into()).expect("now it is imported");
        check_last_import(1, 64, 0);
    }

    #[test]
    fn streams_of_two_devices_wait_by_a_timeline() {
        let ((backend, there), here) = (exporter(), cuda(0));
        let (theirs, ours, side) =
            (there.default_stream(), here.default_stream(), here.create_stream().expect("a stream"));
        for _ in 0..2 {
            ours.wait_stream(&theirs).expect("order");
            side.wait_stream(&theirs).expect("order");
            theirs.wait_stream(&side).expect("order");
            theirs.wait_stream(&ours).expect("order");
        }
        // Two timelines, one for each direction; kind 9 is a descriptor of one.
        assert_eq!((backend.count(Call::CreateTimeline), fake::count("import_external_semaphore")), (2, 2));
        check_last_import(9, 0, 0);
        let (waits, signals): (Vec<_>, Vec<_>) =
            fake::timeline_events().into_iter().partition(|event| event.0 == "wait");
        let values = |events: &[fake::TimelineEvent]| events.iter().map(|event| event.1).collect::<Vec<_>>();
        assert_eq!((values(&waits), values(&signals)), (vec![1, 2, 3, 4], vec![1, 2, 3, 4]));
        let streams: Vec<u64> = waits.iter().map(|event| event.2 as u64).collect();
        assert_eq!(streams, [ours.handle(), side.handle(), ours.handle(), side.handle()]);
        // Signals do not overtake each other: they go through one stream, which waits for those that are meant.
        let known = [ours.handle(), side.handle()];
        assert!(signals.iter().all(|event| event.2 == signals[0].2 && !known.contains(&(event.2 as u64))));
        assert_eq!((fake::count("event_record"), fake::count("stream_wait_event")), (4, 4));
        assert_eq!((backend.count(Call::Signal), backend.count(Call::TimelineWait)), (4, 4));
        assert_eq!((backend.count(Call::StreamFinish), fake::count("stream_synchronize")), (0, 0));
        drop((theirs, ours, side, there, here));
        assert_eq!(fake::imports().1, 0);
    }

    #[test]
    fn a_signal_that_fails_is_waited_for_by_nobody() {
        let ((backend, there), here) = (exporter(), cuda(0));
        let (theirs, ours) = (there.default_stream(), here.default_stream());
        theirs.wait_stream(&ours).expect("order");
        fake::fail("signal_external_semaphores_async", 1, Code(999));
        let error = theirs.wait_stream(&ours).expect_err("the driver fails").to_string();
        assert!(error.contains("cuSignalExternalSemaphoresAsync"), "{error}");
        theirs.wait_stream(&ours).expect("order");
        assert_eq!(backend.count(Call::TimelineWait), 2);
        let values: Vec<u64> = fake::timeline_events().iter().map(|event| event.1).collect();
        assert_eq!(values, [1, 3], "a value is used once");
    }

    #[test]
    fn without_a_timeline_the_host_waits() {
        let ((backend, there), here) = (exporter(), cuda(0));
        fake::fail("import_external_semaphore", 1, Code(999));
        let (theirs, ours) = (there.default_stream(), here.default_stream());
        for _ in 0..2 {
            ours.wait_stream(&theirs).expect("the host waits");
        }
        assert_eq!((backend.count(Call::StreamFinish), backend.count(Call::CreateTimeline)), (2, 1));
        let silent = NullBackend::new();
        let other = Device::open_with(&silent, ()).expect("it opens");
        other.default_stream().wait_stream(&ours).expect("the host waits");
        assert_eq!(fake::count("stream_synchronize"), 1);
        assert_eq!(fake::timeline_events(), []);
    }
}
