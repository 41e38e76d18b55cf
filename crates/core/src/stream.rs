//! Streams, which order work, and tags, which mark points in it.

use crate::backend::{BackendStream, BackendTag};
use crate::device::{Device, DeviceInner};
use crate::{Error, ErrorKind, Result};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// An ordered queue of work of a device. A clone is another handle of the same stream.
#[derive(Clone)]
pub struct Stream {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) backend: Arc<dyn BackendStream>,
    /// What keeps a wrapped stream alive.
    pub(crate) owner: Option<StreamOwner>,
}

/// See [`Device::wrap_stream_with_owner`].
pub(crate) type StreamOwner = Arc<dyn Any + Send + Sync>;

/// Two handles of one stream are equal.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.backend, &other.backend)
    }
}

impl Eq for Stream {}

impl Stream {
    /// The device it belongs to.
    pub fn device(&self) -> Device {
        Device::from_inner(self.device.clone())
    }

    /// The driver's own handle, 0 where there is none.
    pub fn handle(&self) -> u64 {
        self.backend.handle()
    }

    /// Marks this point of the stream.
    /// # Errors
    /// Failures of the device.
    pub fn tag(&self) -> Result<Tag> {
        Ok(Tag { device: self.device.clone(), backend: self.backend.tag()? })
    }

    /// Later work of this stream starts after `tag`, which may be of any stream of the device.
    /// # Errors
    /// [`ErrorKind::WrongDevice`], failures of the device.
    pub fn wait(&self, tag: &Tag) -> Result<()> {
        same_device("a tag", &tag.device, &self.device)?;
        self.backend.wait(&*tag.backend)
    }

    /// Lets a library of the device's own API (NCCL, cuBLAS …) queue work on this stream: `work` is called with the
    /// [`handle`](Self::handle), at once, where calls of that API go to this device. In modes of processors, which do everything
    /// at once, the handle is 0.
    ///
    /// Memory that the work uses has to live until it is done.
    /// # Errors
    /// [`ErrorKind::Unsupported`] for modes whose streams are no library's; those of `work`.
    pub fn queue_native(&self, work: impl FnOnce(u64) -> Result<()>) -> Result<()> {
        let mut work = Some(work);
        self.backend.queue_native(&mut |handle| work.take().map_or(Ok(()), |work| work(handle)))
    }

    /// Opens a named range for profilers; the returned guard closes it. It costs nothing worth naming where no profiler
    /// is at work.
    pub fn range(&self, name: &str) -> StreamRange {
        StreamRange::open(self.backend.clone(), name)
    }

    /// Waits for everything queued here.
    /// # Errors
    /// Failures of that work, accesses out of range among them.
    pub fn finish(&self) -> Result<()> {
        self.backend.finish()?;
        self.device.faults.after(&*self.backend)
    }

    /// As [`finish`](Self::finish), for about `limit` at most; whether everything is done.
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_within(&self, limit: Duration) -> Result<bool> {
        match self.backend.finish_within(limit)? {
            true => self.finish().map(|()| true),
            false => Ok(false),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:#x} of {})", self.backend.handle(), self.device.label())
    }
}

/// An open range; closes when dropped, on the thread that opened it.
#[must_use = "the range closes when this is dropped"]
pub struct StreamRange {
    backend: Arc<dyn BackendStream>,
    /// Profilers keep ranges per thread.
    _of_this_thread: PhantomData<*const ()>,
}

impl StreamRange {
    pub(crate) fn open(backend: Arc<dyn BackendStream>, name: &str) -> Self {
        backend.range_begin(name);
        Self { backend, _of_this_thread: PhantomData }
    }
}

impl Drop for StreamRange {
    fn drop(&mut self) {
        self.backend.range_end();
    }
}

/// A point in a stream. A clone is another handle of the same point.
#[derive(Clone)]
pub struct Tag {
    pub(crate) device: Arc<DeviceInner>,
    pub(crate) backend: Arc<dyn BackendTag>,
}

impl Tag {
    /// The host waits until the stream has reached it.
    /// # Errors
    /// Failures of the work before it.
    pub fn wait(&self) -> Result<()> {
        self.backend.wait()?;
        self.device.faults.after_some(&*self.device.default_stream)
    }

    /// Whether the stream has reached it; nothing waits. Work that was held back to be submitted with more is submitted.
    /// # Errors
    /// Failures of the work before it.
    pub fn is_reached(&self) -> Result<bool> {
        self.backend.is_reached()
    }

    /// Seconds from `earlier` to this tag, on the device's own clock where it has one; waits for both.
    /// # Errors
    /// [`ErrorKind::WrongDevice`], failures of the device.
    pub fn seconds_since(&self, earlier: &Tag) -> Result<f64> {
        same_device("a tag", &earlier.device, &self.device)?;
        Ok(self.backend.elapsed_ms(&*earlier.backend)? * 1e-3)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag(of {})", self.device.label())
    }
}

/// Refuses what belongs to another device.
pub(crate) fn same_device(what: &str, given: &Arc<DeviceInner>, own: &Arc<DeviceInner>) -> Result<()> {
    if Arc::ptr_eq(given, own) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::WrongDevice {
        message: format!("{what} of device {} cannot be used on device {}", given.label(), own.label()),
    }))
}
