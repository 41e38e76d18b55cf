//! Streams. WebGPU has one queue, so that streams are names for it: their work runs in the order in which it was given.

use crate::context::Context;
use crate::memory::WgpuMemory;
use crate::tag::WgpuTag;
use crate::transfer;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use std::sync::Arc;
use std::time::Duration;

/// A stream of a device.
pub(crate) struct WgpuStream {
    context: Arc<Context>,
}

impl WgpuStream {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}

impl BackendStream for WgpuStream {
    fn handle(&self) -> u64 {
        0
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        self.context.failure.check()?;
        let memory = WgpuMemory::of(destination)?;
        match memory.mapped() {
            None => transfer::copy_in(&self.context, &memory.buffer, offset as u64, source),
            Some(pointer) => {
                // What was queued before must not see it.
                self.finish()?;
                let to = pointer.as_ptr().wrapping_add(offset);
                // SAFETY: core has checked that the range lies within the memory, which is mapped as long as it lives;
                // the device is done with it.
                unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), to, source.len()) };
                Ok(())
            }
        }
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        self.context.failure.check()?;
        let memory = WgpuMemory::of(source)?;
        match memory.mapped() {
            None => transfer::copy_out(&self.context, &memory.buffer, offset as u64, destination),
            Some(pointer) => {
                self.finish()?;
                let from = pointer.as_ptr().wrapping_add(offset);
                // SAFETY: core has checked that the range lies within the memory, which is mapped as long as it lives;
                // the device is done with it.
                unsafe { std::ptr::copy_nonoverlapping(from, destination.as_mut_ptr(), destination.len()) };
                Ok(())
            }
        }
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        self.context.failure.check()?;
        let (to, from) = (WgpuMemory::of(destination)?, WgpuMemory::of(source)?);
        let to = transfer::At { buffer: &to.buffer, id: to.id, offset: destination_offset as u64 };
        let from = transfer::At { buffer: &from.buffer, id: from.id, offset: source_offset as u64 };
        transfer::copy(&self.context, &mut self.context.queue.lock(), to, from, bytes as u64)
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.context.failure.check()?;
        let memory = WgpuMemory::of(destination)?;
        let to = transfer::At { buffer: &memory.buffer, id: memory.id, offset: offset as u64 };
        transfer::fill(&self.context, to, bytes as u64, pattern)
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        Ok(Arc::new(WgpuTag::new(&self.context)?))
    }

    fn wait(&self, _tag: &dyn BackendTag) -> Result<()> {
        // Whatever the tag stands behind was given to the one queue before what this stream is given next.
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        self.context.queue.finish(&self.context)
    }

    fn finish_within(&self, limit: Duration) -> Result<bool> {
        self.context.queue.finish_within(&self.context, limit)
    }
}
