//! Streams, which do what they are told at once, and tags.

use super::memory::own;
use super::{Call, State, lock};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

pub(super) struct NullStream {
    pub(super) state: Arc<State>,
    pub(super) handle: u64,
}

impl BackendStream for NullStream {
    fn handle(&self) -> u64 {
        self.handle
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        self.state.enter(Call::CopyIn)?;
        let memory = own(destination)?;
        lock(&memory.buffer.data)[memory.from(offset)][..source.len()].copy_from_slice(source);
        Ok(())
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        self.state.enter(Call::CopyOut)?;
        let memory = own(source)?;
        destination.copy_from_slice(&lock(&memory.buffer.data)[memory.from(offset)][..destination.len()]);
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
        self.state.enter(Call::Copy)?;
        // Through a buffer of its own, because both may be one memory.
        let (from, to) = (own(source)?, own(destination)?);
        let data = lock(&from.buffer.data)[from.from(source_offset)][..bytes].to_vec();
        lock(&to.buffer.data)[to.from(destination_offset)][..bytes].copy_from_slice(&data);
        Ok(())
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.state.enter(Call::Fill)?;
        let memory = own(destination)?;
        let mut data = lock(&memory.buffer.data);
        data[memory.from(offset)][..bytes]
            .chunks_exact_mut(pattern.len())
            .for_each(|chunk| chunk.copy_from_slice(pattern));
        Ok(())
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        self.state.enter(Call::Tag)?;
        Ok(Arc::new(NullTag { state: self.state.clone(), at: Instant::now() }))
    }

    fn wait(&self, _tag: &dyn BackendTag) -> Result<()> {
        self.state.enter(Call::StreamWait)
    }

    fn finish(&self) -> Result<()> {
        self.state.enter(Call::StreamFinish)
    }
}

struct NullTag {
    state: Arc<State>,
    at: Instant,
}

impl BackendTag for NullTag {
    fn wait(&self) -> Result<()> {
        self.state.enter(Call::TagWait)
    }

    fn is_reached(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        self.state.enter(Call::Elapsed)?;
        let earlier = (earlier as &dyn Any).downcast_ref::<NullTag>().map_or(self.at, |tag| tag.at);
        Ok(self.at.saturating_duration_since(earlier).as_secs_f64() * 1e3)
    }
}
