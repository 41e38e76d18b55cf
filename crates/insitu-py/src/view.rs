//! A shaped range of somebody's memory, and the handle that keeps it alive.
//!
//! Invariant: whoever may still touch the memory holds the [`View`], by way of an `Arc`: a field, a capsule that a
//! consumer took, a buffer that is still open.

use crate::element::ElementFormat;
use crate::error::{AccessError, OrRaise, OutOfMemoryError, WrongValueError};
use crate::owner::{Duplicate, Owner};
use ferrocca::AnyMemory;
use ferrocca::insitu::{DeviceKind, LEGACY_STREAM, Location};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// DLPack's type of the host.
pub(crate) const HOST: i32 = DeviceKind::HOST.0;
/// DLPack's type of CUDA device memory.
pub(crate) const CUDA: i32 = DeviceKind::CUDA.0;
/// DLPack's type of CUDA's pinned host memory.
pub(crate) const CUDA_HOST: i32 = DeviceKind::CUDA_HOST.0;

/// A shaped range of memory.
pub(crate) struct View {
    owner: Arc<Owner>,
    pub(crate) element: &'static ElementFormat,
    /// Address or native handle.
    pub(crate) data: u64,
    /// From `data` to the first element.
    pub(crate) byte_offset: u64,
    /// Size of the memory that shape and strides stay inside.
    memory_bytes: usize,
    /// Elements from the start of that memory to the first one of the view, which strides that are negative need.
    pub(crate) first: usize,
    pub(crate) shape: Box<[i64]>,
    /// In elements.
    pub(crate) strides: Box<[i64]>,
    /// In bytes.
    pub(crate) byte_strides: Box<[isize]>,
    /// DLPack's device type and id.
    pub(crate) device: (i32, i32),
    stream: u64,
    /// The host waits for queued work before it looks.
    is_queued: bool,
    pub(crate) read_only: bool,
    /// Whether the elements lie in row-major order without gaps.
    is_contiguous: bool,
    /// For consumers whose arrays are immutable: how many tensors of this view they hold.
    pub(crate) frozen: Option<Arc<AtomicUsize>>,
}

// `Py_buffer` borrows the shape, whose elements are `Py_ssize_t` there and `i64` in DLPack.
const _: () = assert!(size_of::<isize>() == size_of::<i64>());

/// Where a view lies and how it is laid out; what [`View::new`] adds an owner to.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub(crate) location: Location,
    pub(crate) memory_bytes: usize,
    pub(crate) shape: &'a [i64],
    pub(crate) strides: &'a [i64],
    pub(crate) read_only: bool,
}

/// Most axes of an array: Python's buffers have no more (`PyBUF_MAX_NDIM`).
const MOST_AXES: usize = 64;

impl Layout<'_> {
    /// Checks that the elements lie inside the memory, and that no size or stride in bytes overflows.
    /// # Errors
    /// `ValueError` naming the field.
    pub(crate) fn check(&self, name: &str, element: &ElementFormat) -> PyResult<()> {
        let Self { location, memory_bytes, shape, strides, .. } = *self;
        let refuse = |why: &str| {
            let layout = format!("field `{name}` of shape {shape:?} and strides {strides:?}");
            Err(WrongValueError::new_err(format!("{layout} {why}")))
        };
        if shape.len() > MOST_AXES {
            return refuse("has more than 64 axes");
        }
        if shape.iter().chain(strides).any(|&number| number < 0) {
            return refuse("has a negative extent or stride");
        }
        let bytes = i64::from(element.bytes);
        // Extents of 0 count as 1, because strides are computed from them too.
        let size = shape.iter().map(|&extent| extent.max(1)).try_fold(bytes, i64::checked_mul);
        if size.is_none() || strides.iter().any(|stride| stride.checked_mul(bytes).is_none()) {
            return refuse("is too large to address");
        }
        if shape.contains(&0) {
            return Ok(());
        }
        let last = shape.iter().zip(strides).try_fold(0_i64, |last, (&extent, &stride)| {
            (extent - 1).checked_mul(stride).and_then(|more| last.checked_add(more))
        });
        let end = last.and_then(|last| last.checked_add(1)?.checked_mul(bytes));
        if end.is_none_or(|end| end as u64 > memory_bytes as u64) {
            return refuse(&format!("reaches past its memory of {memory_bytes} bytes"));
        }
        let has_address = location.device.is_host() || location.device == DeviceKind::CUDA;
        match (location.data, location.byte_offset) {
            (0, _) if has_address => refuse("has no address"),
            // Not every protocol of arrays has an offset.
            (_, 1..) if has_address => refuse("has an offset beside its address"),
            _ => Ok(()),
        }
    }
}

/// So many zeros.
/// # Errors
/// `MemoryError` where the host has no room, as it may be for a copy of a device's memory.
pub(crate) fn zeros<T: Clone + Default>(len: usize) -> PyResult<Vec<T>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|_| {
        let bytes = len.saturating_mul(size_of::<T>());
        OutOfMemoryError::new_err(format!("the host has no room for {bytes} bytes of a copy"))
    })?;
    zeros.resize(len, T::default());
    Ok(zeros)
}

impl View {
    pub(crate) fn new(owner: Owner, element: &'static ElementFormat, layout: &Layout<'_>) -> Self {
        let Location { device, device_id, data, byte_offset, stream, is_queued } = layout.location;
        Self {
            owner: Arc::new(owner),
            element,
            data,
            byte_offset,
            memory_bytes: layout.memory_bytes,
            first: 0,
            shape: layout.shape.into(),
            strides: layout.strides.into(),
            byte_strides: layout.strides.iter().map(|&stride| stride as isize * isize::from(element.bytes)).collect(),
            device: (device.0, device_id),
            stream,
            is_queued,
            read_only: layout.read_only,
            is_contiguous: is_row_major(layout.shape, layout.strides),
            frozen: None,
        }
    }

    /// Memory of this image, in row-major order. `shape` has as many elements as the memory.
    pub(crate) fn of_memory(
        memory: AnyMemory,
        element: &'static ElementFormat,
        shape: &[i64],
        read_only: bool,
    ) -> Self {
        Self::strided(memory, element, (shape, &row_major(shape), 0), read_only)
    }

    /// Memory of this image, by shape, strides and the number of the first element. All elements lie in the memory.
    pub(crate) fn strided(
        memory: AnyMemory,
        element: &'static ElementFormat,
        (shape, strides, first): (&[i64], &[i64], usize),
        read_only: bool,
    ) -> Self {
        let mut location = Location::of(&memory);
        move_to(&mut location.data, &mut location.byte_offset, location.device.0, first * usize::from(element.bytes));
        let read_only = read_only || memory.is_constant();
        let layout = Layout { location, memory_bytes: memory.bytes(), shape, strides, read_only };
        Self { first, ..Self::new(Owner::library(memory), element, &layout) }
    }

    /// Whether it is of memory whose contents never change.
    pub(crate) fn is_constant(&self) -> bool {
        self.owner.is_constant()
    }

    /// The same elements of other memory.
    fn over(&self, owner: Arc<Owner>, data: u64, byte_offset: u64) -> Self {
        Self {
            owner,
            data,
            byte_offset,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            byte_strides: self.byte_strides.clone(),
            frozen: None,
            ..*self
        }
    }

    /// The same view for consumers whose arrays are immutable, which is all that is asked of them.
    pub(crate) fn freeze(&self) -> Self {
        let tensors = Some(Arc::new(AtomicUsize::new(0)));
        let same = self.over(self.owner.clone(), self.data, self.byte_offset);
        Self { read_only: true, frozen: tensors, ..same }
    }

    /// The same view, read-only on the host. On CUDA nobody could see it then.
    pub(crate) fn without_writes(&self) -> Self {
        let same = self.over(self.owner.clone(), self.data, self.byte_offset);
        Self { read_only: self.read_only || self.is_on_host(), ..same }
    }

    /// A view of a copy on the device, which may be written.
    /// # Errors
    /// `ferrocca.Error` for failures of the device.
    pub(crate) fn duplicate(&self, py: Python<'_>) -> PyResult<Self> {
        self.take_back_default(py)?;
        let Duplicate { owner, mut data, mut byte_offset } = py.detach(|| self.owner.duplicate()).or_raise()?;
        move_to(&mut data, &mut byte_offset, self.device.0, self.first * usize::from(self.element.bytes));
        Ok(Self { read_only: false, ..self.over(Arc::new(owner), data, byte_offset) })
    }

    /// Notes that another library was given the address, which may use it on streams of its own. On the host it holds the
    /// view for as long as it uses the memory, and nothing is noted.
    pub(crate) fn note_shared(&self) {
        if !self.is_on_host() {
            self.owner.note_shared();
        }
    }

    /// Whether it shows the same memory in the same way.
    pub(crate) fn is(&self, element: &'static ElementFormat, layout: &Layout<'_>) -> bool {
        let Location { device, device_id, data, byte_offset, stream, is_queued } = layout.location;
        std::ptr::eq(self.element, element)
            && self.is_queued == is_queued
            && self.device == (device.0, device_id)
            && (self.data, self.byte_offset, self.stream) == (data, byte_offset, stream)
            && (self.memory_bytes, self.read_only) == (layout.memory_bytes, layout.read_only)
            && (&*self.shape, &*self.strides) == (layout.shape, layout.strides)
    }

    /// Number of elements.
    pub(crate) fn size(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    /// Size of the elements in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.size() * usize::from(self.element.bytes)
    }

    /// Whether the host reads and writes it in place.
    pub(crate) fn is_on_host(&self) -> bool {
        DeviceKind(self.device.0).is_host()
    }

    pub(crate) fn is_on_opencl(&self) -> bool {
        self.device.0 == DeviceKind::OPENCL.0
    }

    pub(crate) fn is_on_cuda(&self) -> bool {
        self.device.0 == CUDA
    }

    /// For memory of WebGPU's own: how it would be CUDA's too, or why it is not.
    pub(crate) fn way_to_cuda(&self) -> Option<String> {
        (self.device.0 == DeviceKind::WEBGPU.0).then(|| match self.owner.refusal_of_cuda() {
            Some(refusal) => format!("CUDA's libraries cannot view it: {refusal}"),
            None => {
                "if the device is opened with `exportable=true` and CUDA has the same GPU, CUDA's libraries can view it \
                 in place"
                    .to_owned()
            }
        })
    }

    /// Whether the elements lie in row-major order without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.is_contiguous
    }

    /// Waits on the host for queued work that writes it, where a device has such. Ctrl-C does not end it: NumPy would take
    /// what a signal's handler raises for a refusal, and ask by another protocol.
    /// # Errors
    /// `ferrocca.Error` for failures of that work.
    pub(crate) fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_queued {
            return Ok(());
        }
        py.detach(|| self.owner.synchronize()).or_raise()
    }

    /// The same for who asked us, and not by a protocol of arrays: Ctrl-C ends it.
    /// # Errors
    /// As [`synchronize`](Self::synchronize); what a signal's handler raises.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_queued { self.owner.wait(py) } else { Ok(()) }
    }

    /// What is queued on the consumer's stream from now on comes after the work that writes the memory.
    ///
    /// # Safety
    /// `stream` is 1, 2 or a live stream of the memory's device.
    /// # Errors
    /// `ferrocca.Error` for failures of the device.
    pub(crate) unsafe fn hand_over(&self, py: Python<'_>, stream: u64) -> PyResult<()> {
        // SAFETY: the caller's duty.
        py.detach(|| unsafe { self.owner.hand_over(stream) }).or_raise()
    }

    /// What the memory's owner queues from now on comes after what is queued on the consumer's stream.
    ///
    /// # Safety
    /// As [`hand_over`](Self::hand_over).
    /// # Errors
    /// As [`hand_over`](Self::hand_over).
    pub(crate) unsafe fn take_back(&self, py: Python<'_>, stream: u64) -> PyResult<()> {
        // SAFETY: the caller's duty.
        py.detach(|| unsafe { self.owner.take_back(stream) }).or_raise()
    }

    /// What is copied from now on comes after what the default stream of CUDA's libraries holds.
    fn take_back_default(&self, py: Python<'_>) -> PyResult<()> {
        match self.is_on_cuda() {
            // SAFETY: the legacy stream always lives.
            true => unsafe { self.take_back(py, LEGACY_STREAM) },
            false => Ok(()),
        }
    }

    /// Waits on the host for everything on the device.
    /// # Errors
    /// `ferrocca.Error` for failures of that work.
    pub(crate) fn finish_device(&self, py: Python<'_>) -> PyResult<()> {
        self.owner.finish_device(py)
    }

    /// The stream whose work writes the memory, by DLPack's numbers.
    pub(crate) fn stream(&self) -> u64 {
        self.owner.stream_handle(self.stream).max(LEGACY_STREAM)
    }

    /// Address of the first element.
    /// # Errors
    /// `BufferError` for memory that the host cannot address.
    pub(crate) fn host_address(&self) -> PyResult<usize> {
        if self.is_on_host() {
            return Ok(self.data as usize);
        }
        Err(AccessError::new_err(format!(
            "this memory is on a device (DLPack device {:?}), not on the host: `to_host()` makes a copy; if `in_place` \
             is true, `array()` gives a view there",
            self.device
        )))
    }

    /// Copies the elements in row-major order to `destination`, which has as many [`bytes`](Self::bytes).
    pub(crate) fn copy_into(&self, py: Python<'_>, destination: &mut [u8]) -> PyResult<()> {
        self.take_back_default(py)?;
        if self.is_contiguous() && self.memory_bytes == destination.len() {
            return self.owner.copy_to_host(py, destination);
        }
        let mut all = zeros(self.memory_bytes)?;
        self.owner.copy_to_host(py, &mut all)?;
        py.detach(|| match self.is_contiguous() {
            true => destination.copy_from_slice(&all[..destination.len()]),
            false => self.gather(&all, destination),
        });
        Ok(())
    }

    /// Overwrites the elements with those of `source`, which are in row-major order and as many [`bytes`](Self::bytes).
    /// What CUDA's libraries queue on the legacy stream from then on comes after it.
    pub(crate) fn copy_from(&self, py: Python<'_>, source: &[u8]) -> PyResult<()> {
        self.take_back_default(py)?;
        if self.is_contiguous() && self.memory_bytes == source.len() {
            self.owner.copy_from_host(py, source)?;
        } else {
            let mut all = zeros(self.memory_bytes)?;
            self.owner.copy_to_host(py, &mut all)?;
            py.detach(|| match self.is_contiguous() {
                true => all[..source.len()].copy_from_slice(source),
                false => self.scatter(source, &mut all),
            });
            self.owner.copy_from_host(py, &all)?;
        }
        match self.is_on_cuda() {
            // SAFETY: the legacy stream always lives.
            true => unsafe { self.hand_over(py, LEGACY_STREAM) },
            false => Ok(()),
        }
    }

    /// Picks the elements out of their memory, in row-major order.
    fn gather(&self, all: &[u8], destination: &mut [u8]) {
        let size = usize::from(self.element.bytes);
        let mut places = destination.chunks_exact_mut(size);
        self.each_offset(|start| {
            if let Some(place) = places.next() {
                place.copy_from_slice(&all[start..start + size]);
            }
        });
    }

    /// Puts elements in row-major order into their memory.
    fn scatter(&self, source: &[u8], all: &mut [u8]) {
        let size = usize::from(self.element.bytes);
        let mut values = source.chunks_exact(size);
        self.each_offset(|start| {
            if let Some(value) = values.next() {
                all[start..start + size].copy_from_slice(value);
            }
        });
    }

    /// Calls `visit` with where each element lies in the memory, in bytes and in row-major order.
    fn each_offset(&self, mut visit: impl FnMut(usize)) {
        let size = usize::from(self.element.bytes);
        let mut index = vec![0_i64; self.shape.len()];
        for _ in 0..self.size() {
            let element: i64 =
                self.first as i64 + index.iter().zip(&*self.strides).map(|(i, stride)| i * stride).sum::<i64>();
            visit(element as usize * size);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < self.shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
    }
}

/// Moves the first element of a view by so many bytes: an address, or the offset where the device has none.
fn move_to(data: &mut u64, byte_offset: &mut u64, kind: i32, bytes: usize) {
    let has_addresses = *data != 0 && (kind == CUDA || DeviceKind(kind).is_host());
    let place = if has_addresses { data } else { byte_offset };
    *place += bytes as u64;
}

/// Whether elements of that shape lie in row-major order without gaps; the stride of an axis of one index says nothing.
fn is_row_major(shape: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1;
    shape.contains(&0)
        || shape.iter().zip(strides).rev().all(|(&extent, &stride)| {
            let is_next = extent == 1 || stride == expected;
            expected = expected.saturating_mul(extent);
            is_next
        })
}

/// Strides of row-major order, in elements.
pub(crate) fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}
