//! Memory whose element type is known at compile time.

use super::AnyMemory;
use crate::backend::NativeHandle;
use crate::device::Device;
use crate::dtype::{DType, Element};
use crate::{Error, Result};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::ptr::NonNull;

/// Memory of a device that holds `len()` elements of `T`.
///
/// There is no `Clone`, because it would leave open what is meant: [`share`](Self::share) is another handle of the
/// same memory, [`duplicate`](Self::duplicate) a copy of the data.
pub struct Memory<T: Element> {
    any: AnyMemory,
    element: PhantomData<T>,
}

impl<T: Element> Memory<T> {
    /// The caller has checked the dtype.
    pub(crate) fn from_any(any: AnyMemory) -> Self {
        debug_assert!(any.dtype == T::DTYPE);
        Self { any, element: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.any.bytes / size_of::<T>()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.any.bytes == 0
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.any.bytes
    }

    /// Type of an element.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The device it belongs to.
    pub fn device(&self) -> Device {
        self.any.device()
    }

    /// Address of the first element where the device knows memory by address (a host pointer unless
    /// [`Device::has_separate_memory_space`]); null for memory of no elements and for devices without addresses.
    pub fn ptr(&self) -> *mut T {
        self.any.ptr().cast()
    }

    /// Address at which the host may read and write it in place, where there is one. Work that is still queued may
    /// be writing: [`Device::finish`] first.
    pub fn mapped(&self) -> Option<NonNull<T>> {
        self.any.mapped().map(NonNull::cast)
    }

    /// The native handle of the whole allocation; `None` for memory of no elements.
    pub fn handle(&self) -> Option<NativeHandle> {
        self.any.handle()
    }

    /// Offset of the first element from the start of what [`handle`](Self::handle) names, in bytes.
    pub fn offset_bytes(&self) -> usize {
        self.any.offset_bytes
    }

    /// The same memory without its element type in the type; `clone()` of it is another handle.
    pub fn untyped(&self) -> &AnyMemory {
        &self.any
    }

    /// The handle, to be exchanged for another of the same element type.
    pub(crate) fn untyped_mut(&mut self) -> &mut AnyMemory {
        &mut self.any
    }

    /// Gives up the element type.
    pub fn into_untyped(self) -> AnyMemory {
        self.any
    }

    /// Another handle of the same memory.
    #[must_use]
    pub fn share(&self) -> Self {
        Self::from_any(self.any.clone())
    }

    /// Elements of a range, as another handle that keeps the memory alive. Nothing is copied.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the range does not lie in `0..len()`.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let overflow = || Error::out_of_bounds(format!("a slice bound of {} overflows", usize::MAX));
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start.checked_add(1).ok_or_else(overflow)?,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end.checked_add(1).ok_or_else(overflow)?,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        self.any.slice(start..end).map(Self::from_any)
    }

    /// The same bytes as elements of `U`. Nothing is copied or converted.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when the bytes are no whole number of `U`, or the memory starts at a byte that
    /// is no multiple of its size.
    pub fn cast<U: Element>(&self) -> Result<Memory<U>> {
        let size = size_of::<U>();
        if !self.any.bytes.is_multiple_of(size) {
            return Err(Error::invalid(format!(
                "{} elements of {} ({} bytes) do not make a whole number of {} ({size} bytes each)",
                self.len(),
                T::DTYPE,
                self.any.bytes,
                U::DTYPE
            )));
        }
        let misaligned = !(self.any.ptr() as usize).is_multiple_of(align_of::<U>());
        if !self.any.offset_bytes.is_multiple_of(size) || misaligned {
            return Err(Error::invalid(format!(
                "memory that starts at byte {} of its allocation is not aligned for {} ({size} bytes each)",
                self.any.offset_bytes,
                U::DTYPE
            )));
        }
        Ok(Memory::from_any(AnyMemory { dtype: U::DTYPE, ..self.any.clone() }))
    }

    /// Exchanges the two handles; no data move.
    pub fn swap(&mut self, other: &mut Self) {
        std::mem::swap(self, other);
    }

    /// Copies all of `source` to the start; the lengths must agree.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when they do not, failures of the device.
    pub fn copy_from(&mut self, source: &[T]) -> Result<()> {
        self.same_len("copy_from", source.len())?;
        self.any.write_bytes(0, bytemuck::cast_slice(source))
    }

    /// Copies `source` into `self[offset..]`; `offset` counts elements.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when `offset + source.len() > self.len()`.
    pub fn copy_from_at(&mut self, offset: usize, source: &[T]) -> Result<()> {
        self.fits("copy_from_at", offset, source.len())?;
        self.any.write_bytes(offset * size_of::<T>(), bytemuck::cast_slice(source))
    }

    /// Copies all elements to the host; the lengths must agree. When it returns, the data are there.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when they do not, failures of the device.
    pub fn copy_to(&self, destination: &mut [T]) -> Result<()> {
        self.same_len("copy_to", destination.len())?;
        self.any.read_bytes(0, bytemuck::cast_slice_mut(destination))
    }

    /// Copies `self[offset..]` to the host, as many elements as `destination` has; `offset` counts elements.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when `offset + destination.len() > self.len()`.
    pub fn copy_to_at(&self, offset: usize, destination: &mut [T]) -> Result<()> {
        self.fits("copy_to_at", offset, destination.len())?;
        self.any.read_bytes(offset * size_of::<T>(), bytemuck::cast_slice_mut(destination))
    }

    /// Copies all of `source`, which may overlap; the lengths must agree.
    ///
    /// `source` may be memory of another device, of any mode, where the two reach each other: two GPUs of one driver, one
    /// that imports what the other exports, or any device and memory that the host addresses. Such a copy comes after what
    /// is queued on the current streams of both devices, and before what is queued there later.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when they do not, [`crate::ErrorKind::WrongDevice`] for memory of a device that
    /// is out of reach ([`copy_from_memory_via_host`](Self::copy_from_memory_via_host)), failures of the devices.
    pub fn copy_from_memory(&mut self, source: &Memory<T>) -> Result<()> {
        self.same_len("copy_from_memory", source.len())?;
        self.any.copy_bytes(0, &source.any, 0, self.any.bytes)
    }

    /// Copies all of `source`, of whichever device; the lengths must agree. Between devices it goes by way of the host,
    /// which waits: with a buffer there, in pieces. On one device it is [`copy_from_memory`](Self::copy_from_memory).
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the lengths differ, failures of the devices.
    pub fn copy_from_memory_via_host(&mut self, source: &Memory<T>) -> Result<()> {
        self.same_len("copy_from_memory_via_host", source.len())?;
        self.any.copy_via_host(&source.any)
    }

    /// Copies `source[source_offset..source_offset + len]` to `self[offset..]`; the ranges may overlap.
    /// Offsets and `len` count elements. `source` may be another device's, as in
    /// [`copy_from_memory`](Self::copy_from_memory).
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when either range leaves its memory, [`crate::ErrorKind::WrongDevice`].
    pub fn copy_from_memory_at(
        &mut self,
        offset: usize,
        source: &Memory<T>,
        source_offset: usize,
        len: usize,
    ) -> Result<()> {
        self.fits("copy_from_memory_at, destination", offset, len)?;
        source.fits("copy_from_memory_at, source", source_offset, len)?;
        let size = size_of::<T>();
        self.any.copy_bytes(offset * size, &source.any, source_offset * size, len * size)
    }

    /// All elements, on the host.
    /// # Errors
    /// Failures of the device.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut out = vec![T::zeroed(); self.len()];
        self.any.read_bytes(0, bytemuck::cast_slice_mut(&mut out))?;
        Ok(out)
    }

    /// Sets every element to `value`.
    /// # Errors
    /// Failures of the device.
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.any.fill_bytes(bytemuck::bytes_of(&value))
    }

    /// Memory of its own with the same data (OCCA's `clone`).
    /// # Errors
    /// [`crate::ErrorKind::OutOfMemory`], failures of the device.
    pub fn duplicate(&self) -> Result<Self> {
        self.any.duplicate().map(Self::from_any)
    }

    pub(crate) fn same_len(&self, what: &str, other: usize) -> Result<()> {
        if self.len() == other {
            return Ok(());
        }
        Err(Error::out_of_bounds(format!("{what}: the memory has {} elements, the other side {other}", self.len())))
    }

    fn fits(&self, what: &str, offset: usize, len: usize) -> Result<()> {
        if offset.checked_add(len).is_some_and(|end| end <= self.len()) {
            return Ok(());
        }
        Err(Error::out_of_bounds(format!(
            "{what}: {len} elements from {offset} on do not fit memory of {} elements",
            self.len()
        )))
    }
}

impl<T: Element> fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.any.fmt(f)
    }
}
