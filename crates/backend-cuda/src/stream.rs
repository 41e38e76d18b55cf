//! Streams, copies, fills, and tags, which are events that take the time.

use crate::context::{Context, LaunchLog};
use crate::driver::Code;
use crate::error;
use crate::memory::downcast;
use crate::range;
use cudarc::driver::sys::{CUdeviceptr, CUevent, CUpointer_attribute, CUstream};
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use ferrocca_core::{Error, Result};
use std::any::Any;
use std::sync::Arc;

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;

/// Bytes of the first piece of a fill whose pattern is longer than a word; the rest is copied from it.
const FIRST_FILL_BYTES: usize = 64 << 10;

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
        context.make_current()?;
        let mut raw = std::ptr::null_mut();
        let flags = if blocking { 0 } else { NON_BLOCKING };
        // SAFETY: the context is current; the stream is destroyed in `drop`.
        context.check(unsafe { (context.driver().stream_create)(&mut raw, flags) }, "cuStreamCreate")?;
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
    pub(crate) fn log(&self) -> &LaunchLog {
        &self.log
    }

    pub(crate) fn wait_for_all(&self) -> Result<()> {
        let seen = self.log.seen();
        self.context.make_current()?;
        // SAFETY: the stream lives.
        let code = unsafe { (self.context.driver().stream_synchronize)(self.raw) };
        self.context.check(code, "cuStreamSynchronize")?;
        self.log.settle(seen);
        Ok(())
    }

    /// The driver promises no order within overlapping ranges: goes by way of another piece of memory, which lives in
    /// the stream's order.
    fn copy_overlapping(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
        let (context, driver) = (&self.context, self.context.driver());
        let mut between = 0;
        // SAFETY: context and stream live; the ranges do not overlap the new memory, which is freed behind its last use.
        unsafe {
            let code = (driver.mem_alloc_async)(&mut between, bytes, self.raw);
            if code != Code::SUCCESS {
                return Err(context.allocation_failure(code, "cuMemAllocAsync", bytes));
            }
            let copied = context
                .check((driver.memcpy_async)(between, from, bytes, self.raw), "cuMemcpyAsync")
                .and_then(|()| context.check((driver.memcpy_async)(to, between, bytes, self.raw), "cuMemcpyAsync"));
            let freed = context.check((driver.mem_free_async)(between, self.raw), "cuMemFreeAsync");
            copied.and(freed)
        }
    }

    /// Fills with a pattern that is a word of the driver's, or laid down once by strided words and then copied again and
    /// again, twice as much each time. No host memory is read, so that a graph can hold the work.
    fn fill_range(&self, start: CUdeviceptr, bytes: usize, pattern: &[u8]) -> Result<()> {
        let (context, driver, stream) = (&self.context, self.context.driver(), self.raw);
        // SAFETY (of each call below): core has checked the range, whose length is a multiple of the pattern's.
        if let Some(word) = Word::of(start, pattern) {
            // SAFETY: as above.
            let code = unsafe {
                match word {
                    Word::One(byte) => (driver.memset_d8_async)(start, byte, bytes, stream),
                    Word::Two(word) => (driver.memset_d16_async)(start, word, bytes / 2, stream),
                    Word::Four(word) => (driver.memset_d32_async)(start, word, bytes / 4, stream),
                }
            };
            return context.check(code, "cuMemsetAsync");
        }
        let pitch = pattern.len();
        let rows = (FIRST_FILL_BYTES / pitch).clamp(1, bytes / pitch);
        let word = if start.is_multiple_of(4) && pitch.is_multiple_of(4) { 4 } else { 1 };
        for (position, value) in pattern.chunks_exact(word).enumerate() {
            let at = start + (position * word) as u64;
            // SAFETY: as above; row by row, one word of each copy of the pattern.
            let code = unsafe {
                match *value {
                    [a, b, c, d] => {
                        (driver.memset_d2d32_async)(at, pitch, u32::from_ne_bytes([a, b, c, d]), 1, rows, stream)
                    }
                    [byte] => (driver.memset_d2d8_async)(at, pitch, byte, 1, rows, stream),
                    _ => return Err(error::internal("a piece of a pattern is neither a word nor a byte")),
                }
            };
            context.check(code, "cuMemsetD2DAsync")?;
        }
        let mut done = rows * pitch;
        while done < bytes {
            let next = done.min(bytes - done);
            // SAFETY: as above; the ranges touch and do not overlap.
            let code = unsafe { (driver.memcpy_async)(start + done as u64, start, next, stream) };
            context.check(code, "cuMemcpyAsync")?;
            done += next;
        }
        Ok(())
    }

    /// Whether the driver may still read host memory at an address when an asynchronous copy from there has returned: it
    /// copies pageable memory to a place of its own first, and page-locked memory not.
    fn is_read_later(&self, address: *const u8) -> bool {
        let mut kind = 0_u32;
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as u32;
        // SAFETY: asks about an address and writes one number; an address that the driver does not know is an error.
        let code =
            unsafe { (self.context.driver().pointer_get_attribute)((&raw mut kind).cast(), attribute, address as u64) };
        code == Code::SUCCESS
    }
}

impl BackendStream for CudaStream {
    fn handle(&self) -> u64 {
        self.raw as u64
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        let _range = range::open(c"copy in");
        let to = downcast(destination)?.pointer() + offset as u64;
        self.context.make_current()?;
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
        self.context.make_current()?;
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
        let to = downcast(destination)?.pointer() + destination_offset as u64;
        let from = downcast(source)?.pointer() + source_offset as u64;
        if to == from || bytes == 0 {
            return Ok(());
        }
        self.context.make_current()?;
        // Wrapped memory may overlap other memory too, so that the addresses decide, not the objects.
        if to.abs_diff(from) < bytes as u64 {
            return self.copy_overlapping(to, from, bytes);
        }
        // SAFETY: core has checked both ranges, and they are apart.
        let code = unsafe { (self.context.driver().memcpy_async)(to, from, bytes, self.raw) };
        self.context.check(code, "cuMemcpyAsync")
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        let _range = range::open(c"fill");
        let start = downcast(destination)?.pointer() + offset as u64;
        if pattern.is_empty() || !bytes.is_multiple_of(pattern.len()) {
            return Err(error::internal(format!("a fill of {bytes} bytes by a pattern of {}", pattern.len())));
        }
        if bytes == 0 {
            return Ok(());
        }
        self.context.make_current()?;
        self.fill_range(start, bytes, pattern)
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        self.context.make_current()?;
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
        self.context.make_current()?;
        // SAFETY: event and stream are of the current context.
        let code = unsafe { (self.context.driver().stream_wait_event)(self.raw, tag.raw, 0) };
        self.context.check(code, "cuStreamWaitEvent")
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

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.owned && self.context.make_current().is_ok() {
            // SAFETY: created by us, destroyed once; the driver lets queued work end first.
            let _ = unsafe { (self.context.driver().stream_destroy)(self.raw) };
        }
    }
}

/// The stream behind a contract reference.
#[inline]
pub(crate) fn downcast_stream(stream: &dyn BackendStream) -> Result<&CudaStream> {
    stream.as_any().downcast_ref().ok_or_else(foreign_stream)
}

#[cold]
fn foreign_stream() -> Error {
    error::internal("a stream of another backend reached the CUDA backend")
}

/// A word that the driver can fill with.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    One(u8),
    Two(u16),
    Four(u32),
}

impl Word {
    /// The shortest word of which `pattern` is a repetition, where there is one and `start` is aligned for it.
    fn of(start: CUdeviceptr, pattern: &[u8]) -> Option<Self> {
        let repeats = |bytes: usize| {
            start.is_multiple_of(bytes as u64)
                && pattern.len().is_multiple_of(bytes)
                && pattern.chunks(bytes).all(|piece| *piece == pattern[..bytes])
        };
        match *pattern {
            [a, ..] if repeats(1) => Some(Self::One(a)),
            [a, b, ..] if repeats(2) => Some(Self::Two(u16::from_ne_bytes([a, b]))),
            [a, b, c, d, ..] if repeats(4) => Some(Self::Four(u32::from_ne_bytes([a, b, c, d]))),
            _ => None,
        }
    }
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
    tag.as_any().downcast_ref().ok_or_else(|| error::internal("a tag of another backend reached the CUDA backend"))
}

impl BackendTag for CudaTag {
    fn wait(&self) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: the event lives.
        let code = unsafe { (self.context.driver().event_synchronize)(self.raw) };
        self.context.check(code, "cuEventSynchronize")
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let earlier = downcast_tag(earlier)?;
        earlier.wait()?;
        self.wait()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are of this context and reached.
        let code = unsafe { (self.context.driver().event_elapsed_time)(&mut milliseconds, earlier.raw, self.raw) };
        self.context.check(code, "cuEventElapsedTime")?;
        Ok(f64::from(milliseconds))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaTag {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: created by us, destroyed once; the driver waits for nobody.
            let _ = unsafe { (self.context.driver().event_destroy)(self.raw) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_aligned_word_is_found() {
        let cases: [(u64, &[u8], Option<Word>); 8] = [
            (1, &[7; 8], Some(Word::One(7))),
            (2, &[1, 2, 1, 2], Some(Word::Two(u16::from_ne_bytes([1, 2])))),
            (1, &[1, 2, 1, 2], None),
            (4, &[1, 2, 3, 4, 1, 2, 3, 4], Some(Word::Four(u32::from_ne_bytes([1, 2, 3, 4])))),
            (2, &[1, 2, 3, 4], None),
            (8, &[1, 2, 3, 4, 5, 6, 7, 8], None),
            (4, &[1, 2, 3], None),
            (4, &[0, 0, 0, 0, 0, 0, 240, 63], None),
        ];
        for (start, pattern, expected) in cases {
            assert_eq!(Word::of(start, pattern), expected, "{pattern:?} at {start}");
        }
    }
}
