//! Streams and tags. A stream does its work when it is asked, so that nothing has to be waited for.

use crate::error;
use crate::memory::{ours, use_alone};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

pub(crate) struct ReferenceStream;

impl BackendStream for ReferenceStream {
    fn handle(&self) -> u64 {
        0
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        let (_alone, to) = (use_alone(), ours(destination)?);
        // SAFETY: core has checked the range, and borrows `source` for the call.
        unsafe { std::ptr::copy(source.as_ptr(), to.at(offset), source.len()) };
        to.mark(offset, source.len());
        Ok(())
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        let (_alone, from) = (use_alone(), ours(source)?);
        // SAFETY: core has checked the range, and borrows `destination` for the call.
        unsafe { std::ptr::copy(from.at(offset), destination.as_mut_ptr(), destination.len()) };
        Ok(())
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let _alone = use_alone();
        let (to, from) = (ours(destination)?, ours(source)?);
        // SAFETY: core has checked both ranges, which may overlap.
        unsafe { std::ptr::copy(from.at(source_offset), to.at(destination_offset), bytes) };
        // What was not written is not written by being copied.
        match from.written(source_offset, bytes) {
            Some(flags) => to.mark_as(destination_offset, bytes, |index| flags[index]),
            None => to.mark(destination_offset, bytes),
        }
        Ok(())
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        if pattern.is_empty() || !bytes.is_multiple_of(pattern.len()) {
            return Err(error::internal(format!("a fill of {bytes} bytes by a pattern of {}", pattern.len())));
        }
        let (_alone, to) = (use_alone(), ours(destination)?);
        for start in (0..bytes).step_by(pattern.len()) {
            // SAFETY: core has checked the range, a multiple of the pattern.
            unsafe { std::ptr::copy(pattern.as_ptr(), to.at(offset + start), pattern.len()) };
        }
        to.mark(offset, bytes);
        Ok(())
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        Ok(Arc::new(Tag(Instant::now())))
    }

    fn wait(&self, _tag: &dyn BackendTag) -> Result<()> {
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }
}

/// A point in time: what was asked for before it is done.
struct Tag(Instant);

impl BackendTag for Tag {
    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let Some(Self(begin)) = (earlier as &dyn Any).downcast_ref() else {
            return Err(error::internal("a tag of another backend"));
        };
        let forward = self.0.saturating_duration_since(*begin).as_secs_f64();
        let backward = begin.saturating_duration_since(self.0).as_secs_f64();
        Ok((forward - backward) * 1e3)
    }
}
