//! Order between CUDA's libraries and a device of another mode whose memory CUDA has too.
//!
//! Work of mode `CUDA` is in order with CUDA's legacy default stream, on which libraries run unless told otherwise: the
//! driver sees to it. For a device of another mode nobody does, so it is done here: from the first array on that a
//! library gets of its memory, whatever Python queues on the device comes after what the legacy stream holds, and before
//! what that stream is given next. Until then nothing is paid for it.
//!
//! Not here: hooks, whose streams are put in order once a step ([`crate::step`]), and streams of a library's own, which
//! are told as with mode `CUDA` (`device.stream.wait(theirs)`).

use ferrocca::insitu::{LEGACY_STREAM, hand_over, take_back};
use ferrocca::{Device, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Devices of whose memory libraries of CUDA have got arrays. The number of one that is gone may be another's again, which
/// then is put in order without need.
static SHARED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Notes that a library gets an array of the device's memory.
pub(crate) fn note(device: &Device) {
    if device.exports_memory() && !is_shared(device) {
        lock().push(number(device));
    }
}

/// Runs `work`, which queues something on the device's current stream.
pub(crate) fn in_order<R>(device: &Device, work: impl FnOnce() -> Result<R>) -> Result<R> {
    if !device.exports_memory() || !is_shared(device) {
        return work();
    }
    let stream = device.stream();
    // SAFETY: the legacy stream always lives.
    unsafe { take_back(&stream, LEGACY_STREAM)? };
    let done = work()?;
    // SAFETY: as above.
    unsafe { hand_over(&stream, LEGACY_STREAM)? };
    Ok(done)
}

fn is_shared(device: &Device) -> bool {
    lock().contains(&number(device))
}

/// That of its backend's object: one per open device.
fn number(device: &Device) -> usize {
    Arc::as_ptr(device.backend()).cast::<u8>() as usize
}

fn lock() -> MutexGuard<'static, Vec<usize>> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}
