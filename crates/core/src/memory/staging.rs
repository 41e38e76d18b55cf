//! Host memory on the way to a device or back, which copies use in place.
//!
//! Invariant: the host sees the elements only when no copy that was queued with them is under way. The memory is nobody
//! else's, so that the tags of these copies are all that there is to wait for.

use super::Memory;
use crate::backend::Placement;
use crate::stream::{Stream, Tag, same_device};
use crate::{Device, Element, Error, ErrorKind, Result};
use std::fmt;
use std::ops::Range;

/// Elements on the host that a device copies from and to.
///
/// Where the device has pinned memory, copies are queued and the host goes on; [`host`](Self::host) waits for them. On a
/// device without (WebGPU) it is plain memory, and each copy waits: [`is_pinned`](Self::is_pinned) tells.
///
/// ```no_run
/// # use ferrocca_core::{Device, Staging};
/// # fn main() -> ferrocca_core::Result<()> {
/// # let device = Device::open("mode=CUDA")?;
/// let mut staging = Staging::<f64>::new(&device, 1000)?;
/// let mut memory = device.malloc(1000)?;
/// let uploads = device.create_stream()?;
/// staging.host()?.fill(1.0);
/// staging.upload(&uploads, 0..1000, &mut memory)?;
/// device.stream().wait(&uploads.tag()?)?;
/// # Ok(())
/// # }
/// ```
pub struct Staging<T: Element> {
    device: Device,
    place: Place<T>,
    /// The last copy on each stream that has one.
    queued: Vec<(Stream, Tag)>,
}

enum Place<T: Element> {
    Pinned(Memory<T>),
    Plain(Vec<T>),
}

impl<T: Element> Staging<T> {
    /// Room for `len` elements, which are zeros.
    /// # Errors
    /// [`ErrorKind::OutOfMemory`], [`ErrorKind::OutOfBounds`] when the size overflows.
    pub fn new(device: &Device, len: usize) -> Result<Self> {
        let place = match device.malloc_placed::<T>(len, Placement::HostPinned) {
            Ok(memory) if len == 0 || memory.mapped().is_some() => Place::Pinned(memory),
            Ok(_) => Place::Plain(vec![T::zeroed(); len]),
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => Place::Plain(vec![T::zeroed(); len]),
            Err(error) => return Err(error),
        };
        let mut staging = Self { device: device.clone(), place, queued: Vec::new() };
        staging.host()?.fill(T::zeroed());
        Ok(staging)
    }

    /// How many elements there is room for.
    pub fn len(&self) -> usize {
        match &self.place {
            Place::Pinned(memory) => memory.len(),
            Place::Plain(values) => values.len(),
        }
    }

    /// Whether there is room for none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether copies are queued and do not wait.
    pub fn is_pinned(&self) -> bool {
        matches!(self.place, Place::Pinned(_))
    }

    /// The elements, once all copies of them are done.
    /// # Errors
    /// Failures of the work before these copies.
    pub fn host(&mut self) -> Result<&mut [T]> {
        while let Some((_, tag)) = self.queued.last() {
            tag.wait()?;
            self.queued.pop();
        }
        match &mut self.place {
            Place::Plain(values) => Ok(values),
            Place::Pinned(memory) => match memory.mapped() {
                // SAFETY: `mapped` is the start of as many elements, which are initialised (by the backend, then by `new`) and of
                // a type that any bytes are a value of. No other handle of the memory exists, no copy of it is queued, and the
                // borrow of `self` keeps both so.
                Some(start) => Ok(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), memory.len()) }),
                None => Ok(&mut []),
            },
        }
    }

    /// Queues a copy of `range` to the start of `to`, which is at least as long.
    /// # Errors
    /// [`ErrorKind::OutOfBounds`], [`ErrorKind::WrongDevice`], failures of the device.
    pub fn upload(&mut self, stream: &Stream, range: Range<usize>, to: &mut Memory<T>) -> Result<()> {
        self.check(stream, &range, to)?;
        if range.is_empty() {
            return Ok(());
        }
        match &self.place {
            Place::Pinned(memory) => {
                let size = size_of::<T>();
                let (at, bytes) = (range.start * size, range.len() * size);
                to.untyped().copy_bytes_on(&*stream.backend, 0, memory.untyped(), at, bytes)?;
                self.remember(stream)
            }
            Place::Plain(values) => {
                to.untyped().write_bytes_on(&*stream.backend, 0, bytemuck::cast_slice(&values[range]))
            }
        }
    }

    /// Queues a copy of the first elements of `from` to `range`.
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn download(&mut self, stream: &Stream, from: &Memory<T>, range: Range<usize>) -> Result<()> {
        self.check(stream, &range, from)?;
        if range.is_empty() {
            return Ok(());
        }
        match &mut self.place {
            Place::Pinned(memory) => {
                let size = size_of::<T>();
                let (at, bytes) = (range.start * size, range.len() * size);
                memory.untyped().copy_bytes_on(&*stream.backend, at, from.untyped(), 0, bytes)?;
                self.remember(stream)
            }
            Place::Plain(values) => {
                from.untyped().read_bytes_on(&*stream.backend, 0, bytemuck::cast_slice_mut(&mut values[range]))
            }
        }
    }

    fn check(&self, stream: &Stream, range: &Range<usize>, other: &Memory<T>) -> Result<()> {
        same_device("a stream", &stream.device, &self.device.inner)?;
        same_device("memory", &other.untyped().allocation.device, &self.device.inner)?;
        if range.start > range.end || range.end > self.len() || range.len() > other.len() {
            return Err(Error::out_of_bounds(format!(
                "{}..{} of staging memory of {} elements, and memory of {}",
                range.start,
                range.end,
                self.len(),
                other.len()
            )));
        }
        Ok(())
    }

    /// A copy was queued on `stream`.
    fn remember(&mut self, stream: &Stream) -> Result<()> {
        let tag = match stream.tag() {
            Ok(tag) => tag,
            // Nobody could tell when the copy is done: it is done now.
            Err(error) => return stream.finish().and(Err(error)),
        };
        match self.queued.iter_mut().find(|(known, _)| known == stream) {
            Some((_, last)) => *last = tag,
            None => self.queued.push((stream.clone(), tag)),
        }
        Ok(())
    }
}

impl<T: Element> fmt::Debug for Staging<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Staging<{}>({} elements for {:?})", T::DTYPE, self.len(), self.device)
    }
}
