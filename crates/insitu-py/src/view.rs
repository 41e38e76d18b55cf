//! A shaped range of somebody's memory, and the handle that keeps it alive.
//!
//! Invariant: whoever may still touch the memory holds the [`View`], by way of an `Arc`: a field, a capsule that a
//! consumer took, a buffer that is still open. The last one gives the memory back through a queue: on any thread,
//! without Python's lock, also while the interpreter ends.

use crate::element::Element;
use crate::error::OrRaise;
use ferrocca::insitu::abi::{ErrorSink, HostTable, Status, Text};
use ferrocca::insitu::{DeviceKind, Location, ReleaseQueue};
use ferrocca::{AnyMemory, Error, Result};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use std::ffi::c_void;

/// DLPack's type of the host.
pub(crate) const HOST: i32 = DeviceKind::Host as i32;

/// Memory of this image that views have let go.
static RELEASED: ReleaseQueue = ReleaseQueue::new();

/// Frees what views have let go; called where the library is entered and memory is made, freed or counted.
pub(crate) fn free_released() {
    RELEASED.drain();
}

/// What keeps the memory alive.
pub(crate) enum Owner {
    /// Memory of the program that runs this script.
    Program(ProgramHandle),
    /// Memory of this image's library; `None` only while it is dropped.
    Library(Option<AnyMemory>),
}

impl Owner {
    pub(crate) fn library(memory: AnyMemory) -> Self {
        Self::Library(Some(memory))
    }

    /// The whole memory, on the host.
    fn copy_to_host(&self, bytes: &mut [u8]) -> Result<()> {
        match self {
            Self::Program(handle) => handle.copy_to_host(bytes),
            Self::Library(Some(memory)) => memory.copy_to_bytes(bytes),
            Self::Library(None) => Ok(()),
        }
    }

    /// Waits until the memory may be used from any stream.
    fn synchronize(&self) -> Result<()> {
        match self {
            Self::Program(handle) => handle.synchronize(),
            Self::Library(Some(memory)) => memory.device().finish(),
            Self::Library(None) => Ok(()),
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Self::Library(memory) = self
            && let Some(memory) = memory.take()
        {
            RELEASED.push(Box::new(memory));
        }
    }
}

/// A handle that the program that runs the script gave out.
pub(crate) struct ProgramHandle {
    host: &'static HostTable,
    handle: *mut c_void,
}

// SAFETY: the ABI lets handles be used and released on any thread.
unsafe impl Send for ProgramHandle {}
// SAFETY: as above; the table's functions take the handle by shared reference.
unsafe impl Sync for ProgramHandle {}

impl ProgramHandle {
    /// Retains the memory of a field.
    ///
    /// # Safety
    /// `owner` is the owner of a field of the ABI call under way.
    pub(crate) unsafe fn retain(host: &'static HostTable, owner: *const c_void) -> Option<Self> {
        // SAFETY: the caller's duty is the function's.
        let handle = unsafe { (host.retain)(owner) };
        (!handle.is_null()).then_some(Self { host, handle })
    }

    fn copy_to_host(&self, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: the handle is live, the bytes are ours, the sink outlives the call.
        with_sink(|sink| unsafe { (self.host.copy_to_host)(self.handle, bytes.as_mut_ptr(), bytes.len(), sink) })
    }

    fn synchronize(&self) -> Result<()> {
        // SAFETY: the handle is live, the sink outlives the call.
        with_sink(|sink| unsafe { (self.host.synchronize)(self.handle, sink) })
    }
}

impl Drop for ProgramHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and this is its last use. The program only enqueues it.
        unsafe { (self.host.release)(self.handle) };
    }
}

/// Calls the program with a sink for its reason to fail.
fn with_sink(call: impl FnOnce(*const ErrorSink) -> Status) -> Result<()> {
    unsafe extern "C" fn write(context: *mut c_void, text: Text) {
        // SAFETY: the context is the string below, and the text is borrowed for the call.
        unsafe { (*context.cast::<String>()).push_str(&text.read()) };
    }
    let mut reason = String::new();
    let sink = ErrorSink { context: (&raw mut reason).cast(), write };
    match call(&raw const sink) {
        Status::DONE => Ok(()),
        _ => Err(Error::invalid(reason)),
    }
}

/// A shaped range of memory.
pub(crate) struct View {
    owner: Owner,
    pub(crate) element: &'static Element,
    /// Address or native handle.
    pub(crate) data: u64,
    /// From `data` to the first element.
    pub(crate) byte_offset: u64,
    /// Size of the memory that shape and strides stay inside.
    memory_bytes: usize,
    pub(crate) shape: Box<[i64]>,
    /// In elements.
    pub(crate) strides: Box<[i64]>,
    /// In bytes.
    pub(crate) byte_strides: Box<[isize]>,
    /// DLPack's device type and id.
    pub(crate) device: (i32, i32),
    pub(crate) stream: u64,
    pub(crate) read_only: bool,
}

// `Py_buffer` borrows the shape, whose elements are `Py_ssize_t` there and `i64` in DLPack.
const _: () = assert!(size_of::<isize>() == size_of::<i64>());

/// Where a view lies and how it is laid out; what [`View::new`] adds an owner to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Layout<'a> {
    pub(crate) location: (i32, i32, u64, u64, u64),
    pub(crate) memory_bytes: usize,
    pub(crate) shape: &'a [i64],
    pub(crate) strides: &'a [i64],
    pub(crate) read_only: bool,
}

impl View {
    pub(crate) fn new(owner: Owner, element: &'static Element, layout: &Layout<'_>) -> Self {
        let (device_type, device_id, data, byte_offset, stream) = layout.location;
        let size = isize::from(element.bytes);
        Self {
            owner,
            element,
            data,
            byte_offset,
            memory_bytes: layout.memory_bytes,
            shape: layout.shape.into(),
            strides: layout.strides.into(),
            byte_strides: layout.strides.iter().map(|&stride| stride as isize * size).collect(),
            device: (device_type, device_id),
            stream,
            read_only: layout.read_only,
        }
    }

    /// Memory of this image, in row-major order. `shape` has as many elements as the memory.
    pub(crate) fn of_memory(memory: AnyMemory, element: &'static Element, shape: &[i64], read_only: bool) -> Self {
        let Location { device, device_id, data, byte_offset, stream } = Location::of(&memory);
        let strides = row_major(shape);
        let layout = Layout {
            location: (device as i32, device_id, data, byte_offset, stream),
            memory_bytes: memory.bytes(),
            shape,
            strides: &strides,
            read_only,
        };
        Self::new(Owner::library(memory), element, &layout)
    }

    /// Whether it shows the same memory in the same way.
    pub(crate) fn is(&self, element: &'static Element, layout: &Layout<'_>) -> bool {
        std::ptr::eq(self.element, element)
            && *layout
                == Layout {
                    location: (self.device.0, self.device.1, self.data, self.byte_offset, self.stream),
                    memory_bytes: self.memory_bytes,
                    shape: &self.shape,
                    strides: &self.strides,
                    read_only: self.read_only,
                }
    }

    /// Number of elements.
    pub(crate) fn size(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    /// Size of the elements in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.size() * usize::from(self.element.bytes)
    }

    pub(crate) fn is_on_host(&self) -> bool {
        self.device.0 == HOST
    }

    /// Whether the elements lie in row-major order without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        let expected = row_major(&self.shape);
        let axes = self.shape.iter().zip(self.strides.iter().zip(&expected));
        self.size() == 0 || axes.into_iter().all(|(&extent, (stride, expected))| extent == 1 || stride == expected)
    }

    /// Waits for the work that writes it, where a device has such.
    pub(crate) fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_on_host() && self.stream == 0 {
            return Ok(());
        }
        py.detach(|| self.owner.synchronize()).or_raise()
    }

    /// Address of the first element.
    /// # Errors
    /// `BufferError` for memory that the host cannot address.
    pub(crate) fn host_address(&self) -> PyResult<usize> {
        if self.is_on_host() {
            return Ok(self.data as usize);
        }
        Err(PyBufferError::new_err(format!(
            "this memory lies on a device (DLPack device {:?}), not on the host: `array()` gives a view there, \
             `to_host()` a copy here",
            self.device
        )))
    }

    /// The elements in row-major order, copied to the host.
    pub(crate) fn copy_to_host(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let all = py.detach(|| {
            let mut all = vec![0_u8; self.memory_bytes];
            self.owner.copy_to_host(&mut all).map(|()| all)
        });
        let mut all = all.or_raise()?;
        if self.is_contiguous() {
            all.truncate(self.bytes());
            return Ok(all);
        }
        Ok(self.gather(&all))
    }

    /// Picks the elements out of their memory, in row-major order.
    fn gather(&self, all: &[u8]) -> Vec<u8> {
        let size = usize::from(self.element.bytes);
        let mut out = Vec::with_capacity(self.bytes());
        let mut index = vec![0_i64; self.shape.len()];
        for _ in 0..self.size() {
            let element: i64 = index.iter().zip(&*self.strides).map(|(i, stride)| i * stride).sum();
            let start = element as usize * size;
            out.extend_from_slice(&all[start..start + size]);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < self.shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        out
    }
}

/// Strides of row-major order, in elements.
pub(crate) fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}
