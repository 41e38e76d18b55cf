//! Arrays of the crate `ndarray` and memory of a device, both ways.
//!
//! ```no_run
//! use ferrocca_core::Device;
//! use ferrocca_ndarray::{DeviceArrays, MemoryArrays};
//! use ndarray::Array2;
//!
//! # fn main() -> ferrocca_core::Result<()> {
//! let device = Device::open("CPU")?;
//! let start = Array2::from_shape_fn((64, 64), |(row, column)| (row * column) as f64);
//! let memory = device.malloc_from_array(&start)?;     // row by row, whatever the array's own order is
//! let back = memory.to_array((64, 64))?;              // a copy
//! assert_eq!(start, back);
//! # Ok(())
//! # }
//! ```
//!
//! Memory has no shape: an array is stored row by row (the last axis runs fastest), and comes back with the shape that is
//! asked for. Views are for memory that the host addresses; nothing else is copied for them.
//!
//! Not here: arithmetic, which is `ndarray`'s on the host and `ferrocca::primitives`' on the device.

use ferrocca_core::{Device, Element, Error, Memory, Result};
use ndarray::{Array, ArrayRef, ArrayView, ArrayViewMut, Dimension, IntoDimension};
use std::ptr::NonNull;

/// What a device makes of arrays.
pub trait DeviceArrays {
    /// Memory with the elements of an array, row by row: in place where the array is stored so, else through a copy on the
    /// host.
    /// # Errors
    /// As [`Device::malloc_from`].
    fn malloc_from_array<T: Element, D: Dimension>(&self, array: &ArrayRef<T, D>) -> Result<Memory<T>>;
}

impl DeviceArrays for Device {
    fn malloc_from_array<T: Element, D: Dimension>(&self, array: &ArrayRef<T, D>) -> Result<Memory<T>> {
        match array.as_slice() {
            Some(values) => self.malloc_from(values),
            None => self.malloc_from(&array.iter().copied().collect::<Vec<T>>()),
        }
    }
}

/// What memory gives and takes as arrays. Shapes are numbers of elements along each axis, and their product is the memory's
/// length: `1000`, `(20, 50)`.
pub trait MemoryArrays<T: Element> {
    /// A copy on the host. Waits for the work of the current stream.
    /// # Errors
    /// [`Invalid`](ferrocca_core::ErrorKind::Invalid) for a shape of another number of elements; failures of the device.
    fn to_array<S: IntoDimension>(&self, shape: S) -> Result<Array<T, S::Dim>>;

    /// Copies an array of as many elements into the memory, row by row.
    /// # Errors
    /// As [`Memory::copy_from`].
    fn copy_from_array<D: Dimension>(&mut self, array: &ArrayRef<T, D>) -> Result<()>;

    /// The memory itself, after all work of the device is done. Nothing is copied.
    /// # Safety
    /// While the view lives nothing writes the memory: no kernel, copy or fill through another handle of it.
    /// # Errors
    /// [`Invalid`](ferrocca_core::ErrorKind::Invalid) for a shape of another number of elements,
    /// [`Unsupported`](ferrocca_core::ErrorKind::Unsupported) for memory that the host does not address; failures of the
    /// device.
    unsafe fn view<S: IntoDimension>(&self, shape: S) -> Result<ArrayView<'_, T, S::Dim>>;

    /// As [`view`](Self::view), to be written.
    /// # Safety
    /// While the view lives nothing else reads or writes the memory, through whatever handle.
    /// # Errors
    /// As [`view`](Self::view); [`Invalid`](ferrocca_core::ErrorKind::Invalid) for constant memory.
    unsafe fn view_mut<S: IntoDimension>(&mut self, shape: S) -> Result<ArrayViewMut<'_, T, S::Dim>>;
}

impl<T: Element> MemoryArrays<T> for Memory<T> {
    fn to_array<S: IntoDimension>(&self, shape: S) -> Result<Array<T, S::Dim>> {
        let shape = fitting(shape, self.len())?;
        let values = self.to_vec()?;
        Array::from_shape_vec(shape, values).map_err(|error| Error::invalid(error.to_string()))
    }

    fn copy_from_array<D: Dimension>(&mut self, array: &ArrayRef<T, D>) -> Result<()> {
        match array.as_slice() {
            Some(values) => self.copy_from(values),
            None => self.copy_from(&array.iter().copied().collect::<Vec<T>>()),
        }
    }

    unsafe fn view<S: IntoDimension>(&self, shape: S) -> Result<ArrayView<'_, T, S::Dim>> {
        let shape = fitting(shape, self.len())?;
        let start = start_of(self)?;
        // SAFETY: the memory has as many elements as the shape, all of which have a value, because any bytes are one; it
        // lives as long as the borrow, and the caller keeps writers away.
        Ok(unsafe { ArrayView::from_shape_ptr(shape, start.as_ptr().cast_const()) })
    }

    unsafe fn view_mut<S: IntoDimension>(&mut self, shape: S) -> Result<ArrayViewMut<'_, T, S::Dim>> {
        self.untyped().check_writable()?;
        let shape = fitting(shape, self.len())?;
        let start = start_of(self)?;
        // SAFETY: as in `view`; the caller keeps everybody away.
        Ok(unsafe { ArrayViewMut::from_shape_ptr(shape, start.as_ptr()) })
    }
}

/// The shape, if it has so many elements.
fn fitting<S: IntoDimension>(shape: S, len: usize) -> Result<S::Dim> {
    let shape = shape.into_dimension();
    let count = shape.slice().iter().try_fold(1_usize, |product, &count| product.checked_mul(count));
    match count {
        Some(count) if count == len => Ok(shape),
        _ => Err(Error::invalid(format!("memory of {len} elements is no array of shape {:?}", shape.slice()))),
    }
}

/// Where the host sees the memory, once nothing that was queued writes it any more.
fn start_of<T: Element>(memory: &Memory<T>) -> Result<NonNull<T>> {
    memory.device().finish()?;
    if memory.is_empty() {
        return Ok(NonNull::dangling());
    }
    memory.mapped().ok_or_else(|| {
        let mode = memory.device().mode();
        let reason = format!("the host does not address this memory of mode `{mode}`: `to_array` copies it");
        Error::unsupported("a view of device memory", reason)
    })
}
