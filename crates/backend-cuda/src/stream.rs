//! Streams, copies, fills, and tags, which are events that take the time.

use crate::context::{Context, LaunchLog};
use crate::driver::Code;
use crate::error;
use crate::memory::downcast;
use crate::queue::{self, URGENT};
use crate::range;
use cudarc::driver::sys::{CUevent, CUpointer_attribute, CUstream};
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use ferrocca_core::{Error, Result};
use std::any::Any;
use std::sync::Arc;

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;

/// A stream of our own or of somebody else.
pub(crate) struct CudaStream {
    raw: CUstream,
    owned: bool,
    log: Arc<LaunchLog>,
    context: Arc<Context>,
}

// SAFETY: the driver takes calls on a stream from any thread.
unsafe impl Send for CudaStream {}
// SAFETY: as above.
unsafe impl Sync for CudaStream {}

impl CudaStream {
    /// A stream of our own. A *blocking* one is ordered with the legacy default stream, on which libraries run that know
    /// nothing of ours.
    pub(crate) fn create(context: &Arc<Context>, blocking: bool) -> Result<Self> {
        let _current = context.make_current()?;
        let mut raw = std::ptr::null_mut();
        let flags = if blocking { 0 } else { NON_BLOCKING };
        // SAFETY: the context is current; the stream is destroyed in `drop`.
        context.check(unsafe { (context.driver().stream_create)(&mut raw, flags) }, "cuStreamCreate")?;
        Ok(Self { raw, owned: true, log: context.new_log(), context: context.clone() })
    }

    /// A stream whose kernels go before those that run beside them.
    pub(crate) fn urgent(context: &Arc<Context>) -> Result<Self> {
        let _current = context.make_current()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: as in `create`; a priority beyond the range is the nearest one.
        let code = unsafe { (context.driver().stream_create_with_priority)(&mut raw, NON_BLOCKING, URGENT) };
        context.check(code, "cuStreamCreateWithPriority")?;
        Ok(Self { raw, owned: true, log: context.new_log(), context: context.clone() })
    }

    /// A stream that somebody else owns.
    pub(crate) fn foreign(context: &Arc<Context>, handle: u64) -> Self {
        Self { raw: handle as CUstream, owned: false, log: context.new_log(), context: context.clone() }
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    #[inline]
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    #[inline]
    pub(crate) fn log(&self) -> &LaunchLog {
        &self.log
    }

    pub(crate) fn wait_for_all(&self) -> Result<()> {
        let seen = self.log.seen();
        let _current = self.context.make_current()?;
        // SAFETY: the stream lives.
        let code = unsafe { (self.context.driver().stream_synchronize)(self.raw) };
        self.context.check(code, "cuStreamSynchronize")?;
        self.log.settle(seen);
        self.context.flush_prints();
        Ok(())
    }

    /// Whether the driver may still read host memory at an address when an asynchronous copy from there has returned: it
    /// copies pageable memory to a place of its own first, but not page-locked memory, and none where the device reads the
    /// process's memory through the host's own page tables.
    fn is_read_later(&self, address: *const u8) -> bool {
        if self.context.shares_page_tables() {
            return true;
        }
        let mut kind = 0_u32;
        let mut attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as u32;
        let mut value = (&raw mut kind).cast();
        // The driver's function for one attribute calls an address that it does not know an error; this one does not.
        // SAFETY: asks about an address and writes one number.
        let code =
            unsafe { (self.context.driver().pointer_get_attributes)(1, &mut attribute, &mut value, address as u64) };
        code != Code::SUCCESS || kind != 0
    }
}

impl BackendStream for CudaStream {
    fn handle(&self) -> u64 {
        self.raw as u64
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        let _range = range::open(c"copy in");
        let to = downcast(destination)?.pointer() + offset as u64;
        let _current = self.context.make_current()?;
        // SAFETY: core has checked the range; `source` is read until the call returns or, where it may be read later, until
        // the wait below is over.
        let code =
            unsafe { (self.context.driver().memcpy_htod_async)(to, source.as_ptr().cast(), source.len(), self.raw) };
        self.context.check(code, "cuMemcpyHtoDAsync")?;
        if self.is_read_later(source.as_ptr()) { self.wait_for_all() } else { Ok(()) }
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        let _range = range::open(c"copy out");
        let from = downcast(source)?.pointer() + offset as u64;
        let _current = self.context.make_current()?;
        // SAFETY: core has checked the range; `destination` is borrowed until the wait below is over.
        let code = unsafe {
            (self.context.driver().memcpy_dtoh_async)(
                destination.as_mut_ptr().cast(),
                from,
                destination.len(),
                self.raw,
            )
        };
        self.context.check(code, "cuMemcpyDtoHAsync")?;
        self.wait_for_all()
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let _range = range::open(c"copy");
        let source = downcast(source)?;
        let to = downcast(destination)?.pointer() + destination_offset as u64;
        let from = source.pointer() + source_offset as u64;
        let _current = self.context.make_current()?;
        if source.context().raw() == self.context.raw() {
            return queue::copy(self, to, from, bytes);
        }
        let (here, there) = (self.context.raw(), source.context().raw());
        // SAFETY: core has checked both ranges, which are memory of two devices, and keeps their streams in order.
        let code = unsafe { (self.context.driver().memcpy_peer_async)(to, here, from, there, bytes, self.raw) };
        self.context.check(code, "cuMemcpyPeerAsync")
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        let _range = range::open(c"fill");
        let start = downcast(destination)?.pointer() + offset as u64;
        let _current = self.context.make_current()?;
        queue::fill(self, start, bytes, pattern)
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        let _current = self.context.make_current()?;
        let driver = self.context.driver();
        let mut raw = std::ptr::null_mut();
        // SAFETY: the context is current; the event is destroyed in `drop`.
        self.context.check(unsafe { (driver.event_create)(&mut raw, 0) }, "cuEventCreate")?;
        let tag = CudaTag { raw, context: self.context.clone() };
        // SAFETY: event and stream are of the current context.
        self.context.check(unsafe { (driver.event_record)(tag.raw, self.raw) }, "cuEventRecord")?;
        Ok(Arc::new(tag))
    }

    fn wait(&self, tag: &dyn BackendTag) -> Result<()> {
        let tag = downcast_tag(tag)?;
        let _current = self.context.make_current()?;
        // SAFETY: event and stream are of the current context.
        let code = unsafe { (self.context.driver().stream_wait_event)(self.raw, tag.raw, 0) };
        self.context.check(code, "cuStreamWaitEvent")
    }

    fn queue_native(&self, work: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        let _current = self.context.make_current()?;
        work(self.raw as u64)
    }

    fn range_begin(&self, name: &str) {
        range::push(name);
    }

    fn range_end(&self) {
        range::pop();
    }

    fn finish(&self) -> Result<()> {
        self.wait_for_all()
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.owned
            && let Ok(_current) = self.context.make_current()
        {
            // SAFETY: created by us, destroyed once; the driver lets queued work end first.
            let _ = unsafe { (self.context.driver().stream_destroy)(self.raw) };
        }
    }
}

/// The stream behind a contract reference.
#[inline]
pub(crate) fn downcast_stream(stream: &dyn BackendStream) -> Result<&CudaStream> {
    (stream as &dyn Any).downcast_ref().ok_or_else(foreign_stream)
}

#[cold]
fn foreign_stream() -> Error {
    error::internal("a stream of another backend reached the CUDA backend")
}

/// An event.
pub(crate) struct CudaTag {
    raw: CUevent,
    context: Arc<Context>,
}

// SAFETY: the driver takes calls on an event from any thread.
unsafe impl Send for CudaTag {}
// SAFETY: as above.
unsafe impl Sync for CudaTag {}

fn downcast_tag(tag: &dyn BackendTag) -> Result<&CudaTag> {
    (tag as &dyn Any).downcast_ref().ok_or_else(|| error::internal("a tag of another backend reached the CUDA backend"))
}

impl BackendTag for CudaTag {
    fn wait(&self) -> Result<()> {
        let _current = self.context.make_current()?;
        // SAFETY: the event lives.
        let code = unsafe { (self.context.driver().event_synchronize)(self.raw) };
        self.context.check(code, "cuEventSynchronize")?;
        self.context.flush_prints();
        Ok(())
    }

    fn is_reached(&self) -> Result<bool> {
        let _current = self.context.make_current()?;
        // SAFETY: the event lives.
        match unsafe { (self.context.driver().event_query)(self.raw) } {
            Code::NOT_READY => Ok(false),
            code => self.context.check(code, "cuEventQuery").map(|()| true),
        }
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let earlier = downcast_tag(earlier)?;
        let _current = self.context.make_current()?;
        earlier.wait()?;
        self.wait()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are of this context and reached.
        let code = unsafe { (self.context.driver().event_elapsed_time)(&mut milliseconds, earlier.raw, self.raw) };
        self.context.check(code, "cuEventElapsedTime")?;
        Ok(f64::from(milliseconds))
    }
}

impl Drop for CudaTag {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.make_current() {
            // SAFETY: created by us, destroyed once; the driver waits for nobody.
            let _ = unsafe { (self.context.driver().event_destroy)(self.raw) };
        }
    }
}
