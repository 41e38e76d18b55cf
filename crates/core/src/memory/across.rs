//! Copies between memory of two devices, of any modes.
//!
//! Rules: a copy moves the bytes once. One of the two devices does it where it reaches the other's memory: peer-to-peer, or
//! because one of them imports what the other exports, or because the host addresses one of the two. It comes after what
//! both current streams hold, and before what is queued on them later. Where nobody can, it is refused: by way of the
//! host, with a buffer between, it goes only for who asks for that by name.

use super::AnyMemory;
use crate::backend::{BackendMemory, BackendStream};
use crate::device::{Device, DeviceInner};
use crate::{Error, ErrorKind, Result};
use std::sync::Arc;

/// Bytes of the buffer on the host that a copy goes through.
const PIECE: usize = 16 << 20;

/// A range of memory, which its owner has checked.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) memory: &'a AnyMemory,
    /// Bytes from the start of the memory.
    pub(super) at: usize,
}

impl Part<'_> {
    fn device(&self) -> &Arc<DeviceInner> {
        &self.memory.allocation.device
    }

    /// Bytes from the start of the allocation.
    fn offset(&self) -> usize {
        self.memory.offset_bytes + self.at
    }

    /// Its first byte, where the host addresses it.
    fn mapped(&self) -> Option<*mut u8> {
        // Inside the allocation, as the owner has checked.
        self.memory.mapped().map(|start| start.as_ptr().wrapping_add(self.at))
    }
}

/// Copies `bytes` from one device to another.
/// # Errors
/// [`ErrorKind::WrongDevice`] where neither device reaches the other's memory.
pub(super) fn copy(to: Part<'_>, from: Part<'_>, bytes: usize) -> Result<()> {
    let (Some(target), Some(source)) = (&to.memory.allocation.backend, &from.memory.allocation.backend) else {
        return Ok(());
    };
    if bytes == 0 {
        return Ok(());
    }
    let queue = |on: &dyn BackendStream, target: &dyn BackendMemory, source: &dyn BackendMemory| {
        on.copy(target, to.offset(), source, from.offset(), bytes)
    };
    if to.device().backend.reaches(&**source) {
        return in_order(from.device(), to.device(), |stream| queue(stream, &**target, &**source));
    }
    if to.mapped().is_some() || from.mapped().is_some() {
        return on_the_host(to, from, bytes);
    }
    // What one device exports the other may not import: the error says why.
    let mut refusals = String::new();
    if from.device().backend.exports_memory() {
        match from.memory.allocation.imported_by(to.device()) {
            Ok(Some(source)) => {
                return in_order(from.device(), to.device(), |stream| queue(stream, &**target, &*source));
            }
            Ok(None) => {}
            Err(error) => refusals += &format!(" ({error})"),
        }
    }
    if to.device().backend.exports_memory() {
        match to.memory.allocation.imported_by(from.device()) {
            Ok(Some(target)) => {
                return in_order(to.device(), from.device(), |stream| queue(stream, &*target, &**source));
            }
            Ok(None) => {}
            Err(error) => refusals += &format!(" ({error})"),
        }
    }
    Err(Error::new(ErrorKind::WrongDevice {
        message: format!(
            "memory of device {} cannot be copied straight to memory of device {}: neither of the two devices reaches the \
             other's memory{refusals}. `copy_from_memory_via_host` copies by way of the host (in Python `via_host=True`)",
            from.device().label(),
            to.device().label()
        ),
    }))
}

/// Queues work on the current stream of `worker`, after what the current stream of `other` holds and before what it gets
/// later.
fn in_order(
    other: &Arc<DeviceInner>,
    worker: &Arc<DeviceInner>,
    work: impl FnOnce(&dyn BackendStream) -> Result<()>,
) -> Result<()> {
    let stream = |device: &Arc<DeviceInner>| Device::from_inner(device.clone()).stream();
    let (other, worker) = (stream(other), stream(worker));
    worker.wait_stream(&other)?;
    work(&*worker.backend)?;
    other.wait_stream(&worker)
}

/// A copy of which the host addresses one side or both.
fn on_the_host(to: Part<'_>, from: Part<'_>, bytes: usize) -> Result<()> {
    let finish = |part: &Part<'_>| part.device().with_stream(|stream| stream.finish());
    match (to.mapped(), from.mapped()) {
        (Some(target), Some(source)) => {
            finish(&from)?;
            finish(&to)?;
            // SAFETY: both ranges lie inside their allocations (by the caller), which live for the call, and what was
            // queued with them is done. Two devices may know the same memory: the ranges may overlap.
            unsafe { std::ptr::copy(source, target, bytes) };
            Ok(())
        }
        (None, Some(source)) => {
            finish(&from)?;
            // SAFETY: as above; nobody writes the range before the call returns, and the other side is no host memory.
            to.memory.write_bytes(to.at, unsafe { std::slice::from_raw_parts(source, bytes) })
        }
        (Some(target), None) => {
            finish(&to)?;
            // SAFETY: as above; nobody else uses the range before the call returns.
            from.memory.read_bytes(from.at, unsafe { std::slice::from_raw_parts_mut(target, bytes) })
        }
        (None, None) => Ok(()),
    }
}

/// Copies all of `from` to `to`, which has as many bytes, through a buffer on the host.
pub(super) fn copy_via_host(to: &AnyMemory, from: &AnyMemory) -> Result<()> {
    let mut buffer = vec![0; from.bytes.min(PIECE)];
    for start in (0..from.bytes).step_by(PIECE) {
        let piece = &mut buffer[..PIECE.min(from.bytes - start)];
        from.read_bytes(start, piece)?;
        to.write_bytes(start, piece)?;
    }
    Ok(())
}
