//! Memory whose element type is known at run time: what [`Memory`] is built on, and what tools keep.

use super::across::{self, Part};
use super::allocation::Allocation;
use crate::backend::{BackendMemory, BackendStream, NativeHandle, Placement};
use crate::device::Device;
use crate::dtype::{DType, Element};
use crate::memory::Memory;
use crate::{Error, Result};
use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

/// A range of device memory and the type of its elements. A clone is another handle of the same range; the memory
/// lives until the last handle is gone.
#[derive(Clone)]
pub struct AnyMemory {
    pub(crate) allocation: Arc<Allocation>,
    pub(crate) offset_bytes: usize,
    pub(crate) bytes: usize,
    pub(crate) dtype: DType,
}

impl AnyMemory {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes / self.dtype.bytes()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Type of an element.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The device it belongs to.
    pub fn device(&self) -> Device {
        Device::from_inner(self.allocation.device.clone())
    }

    /// Offset of the first element from the start of what [`handle`](Self::handle) names, in bytes.
    pub fn offset_bytes(&self) -> usize {
        self.offset_bytes
    }

    /// What was given to [`Device::wrap_memory_with_owner`] with the allocation; `None` for memory of the device's own.
    pub fn owner(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.allocation.keep.as_deref()
    }

    /// The same range as an allocation of its own, which does not count as allocated: when its last handle is gone, `owner`
    /// is dropped, and not before. So a pool learns when what it lent comes back; it keeps this handle, whose allocation is
    /// the one that counts. [`owner`](Self::owner) of the result is `owner`.
    #[must_use]
    pub fn lent(&self, owner: Box<dyn Any + Send + Sync>) -> Self {
        let device = self.allocation.device.clone();
        let allocation = self.allocation.again(device, self.allocation.backend.clone(), owner);
        Self { allocation, ..self.clone() }
    }

    /// The native handle of the whole allocation; `None` for memory of no elements.
    pub fn handle(&self) -> Option<NativeHandle> {
        self.exposed().map(|backend| backend.handle())
    }

    /// Address of the first element where the device knows memory by address (a host pointer unless
    /// [`Device::has_separate_memory_space`]); null for memory of no elements and for devices without addresses.
    pub fn ptr(&self) -> *mut c_void {
        let base = self.allocation.address;
        let _ = self.exposed();
        let address = if base == 0 || self.bytes == 0 { 0 } else { base + self.offset_bytes as u64 };
        address as usize as *mut c_void
    }

    /// Address at which the host may read and write it in place, where there is one. Work that is still queued may
    /// be writing: [`Device::finish`] first. Nobody writes [constant](Self::is_constant) memory there.
    pub fn mapped(&self) -> Option<NonNull<u8>> {
        let base = self.exposed()?.mapped()?;
        // SAFETY: the offset lies inside the allocation, by construction of every `AnyMemory`.
        Some(unsafe { base.add(self.offset_bytes) })
    }

    /// The backend's memory, which now knows that its address goes out.
    fn exposed(&self) -> Option<&Arc<dyn BackendMemory>> {
        let backend = self.allocation.backend.as_ref();
        backend.inspect(|backend| backend.expose())
    }

    /// The backend's own memory, for code that knows the backend; `None` for memory of no elements.
    pub fn backend(&self) -> Option<&Arc<dyn BackendMemory>> {
        self.allocation.backend.as_ref()
    }

    /// The same memory with its element type known at compile time.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when the type is another one.
    pub fn typed<T: Element>(&self) -> Result<Memory<T>> {
        if self.dtype != T::DTYPE {
            return Err(Error::invalid(format!("this is memory of {}, not of {}", self.dtype, T::DTYPE)));
        }
        Ok(Memory::from_any(self.clone()))
    }

    /// Memory of its own with the same data, on the same device.
    /// # Errors
    /// [`crate::ErrorKind::OutOfMemory`], failures of the device.
    pub fn duplicate(&self) -> Result<Self> {
        let allocation = self.allocation.device.allocate(self.bytes, Placement::Device)?;
        let copy = Self { allocation, offset_bytes: 0, bytes: self.bytes, dtype: self.dtype };
        copy.copy_bytes(0, self, 0, self.bytes)?;
        Ok(copy)
    }

    /// Copies all bytes to the host.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the sizes differ, failures of the device.
    pub fn copy_to_bytes(&self, destination: &mut [u8]) -> Result<()> {
        if destination.len() != self.bytes {
            return Err(Error::out_of_bounds(format!(
                "{} bytes cannot be copied to {} bytes",
                self.bytes,
                destination.len()
            )));
        }
        self.read_bytes(0, destination)
    }

    /// Copies all bytes from the host.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the sizes differ, failures of the device.
    pub fn copy_from_bytes(&mut self, source: &[u8]) -> Result<()> {
        if source.len() != self.bytes {
            return Err(Error::out_of_bounds(format!(
                "{} bytes cannot be copied to {} bytes",
                source.len(),
                self.bytes
            )));
        }
        self.write_bytes(0, source)
    }

    /// Copies all bytes of `source`, of this device or of one that it reaches, as
    /// [`Memory::copy_from_memory`]; the types may differ.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the sizes differ, [`crate::ErrorKind::WrongDevice`], failures of the devices.
    pub fn copy_from_memory(&mut self, source: &Self) -> Result<()> {
        if source.bytes != self.bytes {
            return Err(Error::out_of_bounds(format!(
                "{} bytes cannot be copied to {} bytes",
                source.bytes, self.bytes
            )));
        }
        self.copy_bytes(0, source, 0, self.bytes)
    }

    /// The same bytes as elements of another type. Nothing is copied or converted.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when the bytes are no whole number of elements, or the memory starts at a byte that is
    /// no multiple of their alignment.
    pub fn cast(&self, dtype: DType) -> Result<Self> {
        let start = self.ptr() as usize;
        let fits = self.bytes.is_multiple_of(dtype.bytes())
            && self.offset_bytes.is_multiple_of(dtype.bytes())
            && start.is_multiple_of(dtype.align());
        match fits {
            true => Ok(Self { dtype, ..self.clone() }),
            false => Err(Error::invalid(format!(
                "{} bytes from byte {} of an allocation on are no {dtype} ({} bytes each)",
                self.bytes,
                self.offset_bytes,
                dtype.bytes()
            ))),
        }
    }

    /// Elements of a range, as another handle that keeps the memory alive. Nothing is copied.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when the range does not lie in `0..len()`.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        let (Range { start, end }, len) = (range, self.len());
        if start > end || end > len {
            return Err(Error::out_of_bounds(format!("slice {start}..{end} of memory of {len} elements")));
        }
        let size = self.dtype.bytes();
        Ok(Self { offset_bytes: self.offset_bytes + start * size, bytes: (end - start) * size, ..self.clone() })
    }

    /// Host to device at `at` bytes from the start; the caller has checked the range.
    pub(crate) fn write_bytes(&self, at: usize, source: &[u8]) -> Result<()> {
        self.allocation.device.with_stream(|stream| self.write_bytes_on(stream, at, source))
    }

    /// As [`write_bytes`](Self::write_bytes), on a stream of the device.
    pub(crate) fn write_bytes_on(&self, stream: &dyn BackendStream, at: usize, source: &[u8]) -> Result<()> {
        self.check_writable()?;
        match &self.allocation.backend {
            Some(backend) if !source.is_empty() => stream.copy_in(&**backend, self.offset_bytes + at, source),
            _ => Ok(()),
        }
    }

    /// Device to host from `at` bytes from the start; the caller has checked the range.
    pub(crate) fn read_bytes(&self, at: usize, destination: &mut [u8]) -> Result<()> {
        self.allocation.device.with_stream(|stream| self.read_bytes_on(stream, at, destination))
    }

    /// As [`read_bytes`](Self::read_bytes), on a stream of the device.
    pub(crate) fn read_bytes_on(&self, stream: &dyn BackendStream, at: usize, destination: &mut [u8]) -> Result<()> {
        match &self.allocation.backend {
            Some(backend) if !destination.is_empty() => {
                stream.copy_out(&**backend, self.offset_bytes + at, destination)?;
                self.allocation.device.faults.after(stream)
            }
            _ => Ok(()),
        }
    }

    /// From memory of this device or another; the caller has checked the ranges.
    pub(crate) fn copy_bytes(&self, at: usize, source: &Self, source_at: usize, bytes: usize) -> Result<()> {
        self.check_writable()?;
        if !Arc::ptr_eq(&self.allocation.device, &source.allocation.device) {
            let (to, from) = (Part { memory: self, at }, Part { memory: source, at: source_at });
            return across::copy(to, from, bytes);
        }
        self.allocation.device.with_stream(|stream| self.copy_bytes_on(stream, at, source, source_at, bytes))
    }

    /// From memory of this device, on a stream of it; the caller has checked the ranges.
    pub(crate) fn copy_bytes_on(
        &self,
        stream: &dyn BackendStream,
        at: usize,
        source: &Self,
        source_at: usize,
        bytes: usize,
    ) -> Result<()> {
        self.check_writable()?;
        match (&self.allocation.backend, &source.allocation.backend) {
            (Some(to), Some(from)) if bytes > 0 => {
                stream.copy(&**to, self.offset_bytes + at, &**from, source.offset_bytes + source_at, bytes)
            }
            _ => Ok(()),
        }
    }

    /// All of `source`, which has as many bytes, by way of the host where it is another device's.
    pub(crate) fn copy_via_host(&self, source: &Self) -> Result<()> {
        self.check_writable()?;
        if Arc::ptr_eq(&self.allocation.device, &source.allocation.device) {
            return self.copy_bytes(0, source, 0, self.bytes);
        }
        across::copy_via_host(self, source)
    }

    /// Repeats `pattern` over all of it.
    pub(crate) fn fill_bytes(&self, pattern: &[u8]) -> Result<()> {
        self.check_writable()?;
        match &self.allocation.backend {
            Some(backend) if self.bytes > 0 => self
                .allocation
                .device
                .with_stream(|stream| stream.fill(&**backend, self.offset_bytes, self.bytes, pattern)),
            _ => Ok(()),
        }
    }

    /// Whether the two ranges have a byte in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let same_space = self.allocation.space == other.allocation.space && self.bytes > 0 && other.bytes > 0;
        let (a, b) =
            (self.allocation.base + self.offset_bytes as u64, other.allocation.base + other.offset_bytes as u64);
        same_space && a < b + other.bytes as u64 && b < a + self.bytes as u64
    }
}

impl fmt::Debug for AnyMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory<{}>({} elements on {})", self.dtype, self.len(), self.allocation.device.label())
    }
}
