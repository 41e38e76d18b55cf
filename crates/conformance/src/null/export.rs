//! Handles of the null device, for tests of those who import: descriptors of nothing, with the sizes of real ones.

use super::memory::Buffer;
use super::{Call, State, UUID, lock};
use ferrocca_core::backend::{BackendStream, BackendTimeline, Exported};
use ferrocca_core::{Error, Result};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What real allocations are rounded up to.
const GRANULE: u64 = 4096;

/// A handle of memory, where the device exports.
pub(super) fn memory(buffer: &Buffer) -> Result<Exported> {
    let bytes = (lock(&buffer.data).len() as u64).next_multiple_of(GRANULE);
    Ok(Exported::memory_fd(descriptor()?, bytes, true, UUID))
}

/// A timeline that orders nothing, because nothing runs.
pub(super) fn timeline(state: &Arc<State>) -> Result<(Arc<dyn BackendTimeline>, Exported)> {
    if !state.exports.load(Ordering::Relaxed) {
        return Err(Error::unsupported("a timeline", "this null device exports nothing"));
    }
    let handle = Exported::timeline_fd(descriptor()?, UUID);
    Ok((Arc::new(NullTimeline { state: state.clone() }), handle))
}

fn descriptor() -> Result<OwnedFd> {
    File::open("/dev/null").map(OwnedFd::from).map_err(|e| Error::io("/dev/null", &e))
}

struct NullTimeline {
    state: Arc<State>,
}

impl BackendTimeline for NullTimeline {
    fn signal(&self, _stream: &dyn BackendStream, _value: u64) -> Result<()> {
        self.state.enter(Call::Signal)
    }

    fn wait(&self, _stream: &dyn BackendStream, _value: u64) -> Result<()> {
        self.state.enter(Call::TimelineWait)
    }
}
