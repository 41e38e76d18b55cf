//! Order between a device's streams and those of other libraries, by events: nothing waits on the host.
//!
//! Memory of another mode's device that CUDA has too goes by way of the default stream of CUDA's device, the two being put
//! in order by [`Stream::wait_stream`]: by a timeline, or by the host where the driver has none.
//!
//! Streams of others are named by the numbers that DLPack and the CUDA array interface share: the two default streams
//! have numbers of their own, any other stream is its native handle.
//!
//! Not here: who declares which stream (the extension's side of [`crate::abi`]).

use crate::cuda_interop;
use ferrocca_core::{Device, Result, Stream};

/// CUDA's legacy default stream.
pub const LEGACY_STREAM: u64 = 1;

/// CUDA's default stream of the calling thread.
pub const PER_THREAD_STREAM: u64 = 2;

/// Work that is queued on `foreign` from now on comes after what is queued on `own`.
/// # Safety
/// `foreign` is one of the two default streams, or a live stream of the driver context of `own`'s device, or of the CUDA
/// device that has its memory too.
/// # Errors
/// [`ferrocca_core::ErrorKind::Unsupported`] for a device without native streams, failures of the device.
pub unsafe fn hand_over(own: &Stream, foreign: u64) -> Result<()> {
    if let Some(cuda) = cuda_interop::on_cuda(&own.device()) {
        // All that CUDA does with the memory passes by this stream, on its way to others and back.
        let gate = cuda?.default_stream();
        gate.wait_stream(own)?;
        // SAFETY: the caller's duty.
        return unsafe { hand_over(&gate, foreign) };
    }
    if is_ordered(own, foreign) {
        return Ok(());
    }
    // SAFETY: the caller's duty; the wrapped stream does not outlive this call.
    unsafe { own.device().wrap_stream(foreign)? }.wait(&own.tag()?)
}

/// Work that is queued on `own` from now on comes after what is queued on `foreign`.
/// # Safety
/// As [`hand_over`].
/// # Errors
/// As [`hand_over`].
pub unsafe fn take_back(own: &Stream, foreign: u64) -> Result<()> {
    if let Some(cuda) = cuda_interop::on_cuda(&own.device()) {
        let gate = cuda?.default_stream();
        // SAFETY: the caller's duty.
        unsafe { take_back(&gate, foreign)? };
        return own.wait_stream(&gate);
    }
    if is_ordered(own, foreign) {
        return Ok(());
    }
    // SAFETY: as above.
    own.wait(&unsafe { own.device().wrap_stream(foreign)? }.tag()?)
}

/// Waits on the host until the device is done, and the CUDA device that has its memory too: also with what others have
/// queued there on streams that nobody told of.
/// # Errors
/// Failures of that work.
pub fn finish_device(device: &Device) -> Result<()> {
    device.finish()?;
    cuda_interop::on_cuda(device).map_or(Ok(()), |cuda| cuda?.finish())
}

/// Whether the driver itself keeps the two in order: they are one stream, or the legacy default stream and the device's
/// default stream, which waits for it and is waited for.
fn is_ordered(own: &Stream, foreign: u64) -> bool {
    own.handle() == foreign || (foreign == LEGACY_STREAM && *own == own.device().default_stream())
}
