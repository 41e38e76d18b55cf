//! Arrays of other libraries as memory: Arrow's C data interface for its arrays, which are immutable; DLPack for others,
//! else `__cuda_array_interface__`, else the buffer protocol, else `__array_interface__`.
//!
//! Invariants: nothing is copied, and an array that cannot be taken in place is refused. What the device queues on its
//! current stream after an import comes after what the array's library has queued on its own: DLPack's producer sees to
//! it for the stream that it is given, for the other protocol it is done here.

use crate::arrow;
use crate::dlpack;
use crate::element::ElementFormat;
use crate::error::{AccessError, Error, OrRaise, WrongTypeError};
use crate::interrupt::{copy, wait};
use crate::shared::in_order;
use crate::stream::{CUDA_MODE, stream_number};
use crate::view::{CUDA, row_major};
use ferrocca::insitu::{DeviceKind, LEGACY_STREAM, take_back};
use ferrocca::{AnyMemory, Api, Device, Element, NativeHandle};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::ffi::CStr;

/// DLPack's type of memory that moves between the host and CUDA devices by itself.
const CUDA_MANAGED: i32 = 13;

/// Memory of somebody else, in row-major order.
pub(crate) struct Foreign {
    pub(crate) handle: NativeHandle,
    pub(crate) element: &'static ElementFormat,
    pub(crate) shape: Vec<i64>,
    pub(crate) read_only: bool,
    /// What keeps it alive.
    pub(crate) keep: Box<dyn Any + Send + Sync>,
}

impl Foreign {
    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.len() * usize::from(self.element.bytes)
    }

    /// Whether it lies on the host.
    pub(crate) fn is_on_host(&self) -> bool {
        self.handle.api() == Api::HOST
    }

    /// The elements of the array, which lies on the host. `T` is its type.
    /// # Errors
    /// `BufferError` for an array on a device.
    pub(crate) fn to_vec<T: Element>(&self) -> PyResult<Vec<T>> {
        let address = self.host_address()? as *const u8;
        let mut values = vec![T::zeroed(); self.len()];
        // SAFETY: `self` keeps the array alive, which has as many bytes; that nobody writes it meanwhile is the program's order. Any
        // bytes are a value of `T`.
        unsafe { std::ptr::copy_nonoverlapping(address, values.as_mut_ptr().cast(), size_of_val(&*values)) };
        Ok(values)
    }

    /// Copies the array, which lies on the host, to memory of the same size.
    /// # Errors
    /// `BufferError` for an array on a device, failures of the memory's device.
    pub(crate) fn copy_into(&self, py: Python<'_>, memory: &mut AnyMemory) -> PyResult<()> {
        let (address, bytes) = (self.host_address()?, self.bytes());
        // SAFETY: `self` keeps the array alive, `bytes` long; that nobody writes it meanwhile is the program's order.
        let source = unsafe { std::slice::from_raw_parts(address as *const u8, bytes) };
        let (device, size) = (memory.device(), memory.dtype().bytes());
        wait(py, |limit| device.stream().finish_within(limit))?;
        copy(py, (memory.len(), size), |range| {
            let bytes = &source[range.start * size..range.end * size];
            in_order(&device, || memory.slice(range)?.copy_from_bytes(bytes))
        })
    }

    /// Copies memory of the same size to the array, which lies on the host and is writable.
    /// # Errors
    /// As [`copy_into`](Self::copy_into).
    pub(crate) fn copy_out_of(&mut self, py: Python<'_>, memory: &AnyMemory) -> PyResult<()> {
        let (address, bytes) = (self.host_address()?, self.bytes());
        // SAFETY: as above; that nobody reads it meanwhile is the program's order too.
        let destination = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, bytes) };
        let (device, size) = (memory.device(), memory.dtype().bytes());
        wait(py, |limit| device.stream().finish_within(limit))?;
        copy(py, (memory.len(), size), |range| {
            let bytes = &mut destination[range.start * size..range.end * size];
            in_order(&device, || memory.slice(range)?.copy_to_bytes(bytes))
        })
    }

    /// Address that the host can read; not null, also for an array of no elements.
    fn host_address(&self) -> PyResult<usize> {
        match self.handle {
            NativeHandle::Address { api: Api::HOST, .. } if self.len() == 0 => Ok(align_of::<u64>()),
            NativeHandle::Address { api: Api::HOST, address } => Ok(address as usize),
            _ => Err(AccessError::new_err("the array lies on a device: an array on the host is expected")),
        }
    }
}

/// Takes an array in place, to be used by `device` on its current stream.
/// # Errors
/// `TypeError` for what is no array, or one of a type that kernels do not have; `BufferError` for an array that is
/// not contiguous, or on another device.
pub(crate) fn import(object: &Bound<'_, PyAny>, device: &Device) -> PyResult<Foreign> {
    let has_buffer = {
        // SAFETY: the object is live.
        unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
    };
    if object.hasattr(intern!(object.py(), "__arrow_c_array__"))? {
        return arrow::import(object)?.check();
    }
    if object.hasattr(intern!(object.py(), "__dlpack__"))? {
        match import_dlpack(object, device) {
            // A library whose DLPack cannot say «read-only», or not this type, may say it as a buffer.
            Err(error) if has_buffer => return import_buffer(object).map_err(|_| refused(object, error)),
            imported => return imported.map_err(|error| refused(object, error)),
        }
    }
    if let Ok(interface) = object.getattr("__cuda_array_interface__") {
        return import_cuda_interface(object, interface.cast::<PyDict>()?, device);
    }
    if has_buffer {
        return import_buffer(object);
    }
    if let Ok(interface) = object.getattr("__array_interface__") {
        return import_interface(object, interface.cast::<PyDict>()?);
    }
    Err(WrongTypeError::new_err(format!(
        "`{}` is not an array: it has neither `__dlpack__` nor `__arrow_c_array__` nor `__cuda_array_interface__` nor \
         the buffer protocol nor `__array_interface__`; `numpy.array` makes an array of numbers",
        object.get_type().name()?
    )))
}

/// What an array's own library says where it shows its elements to nobody, in the words of this package.
fn refused(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = object.py();
    let is_foreign = error.is_instance_of::<PyBufferError>(py) || error.is_instance_of::<PyTypeError>(py);
    if error.is_instance_of::<Error>(py) || !is_foreign {
        return error;
    }
    let Ok(dtype) = object.getattr(intern!(py, "dtype")) else {
        return AccessError::new_err(error.value(py).to_string());
    };
    let text_of = |name: &str| dtype.getattr(name).and_then(|text| text.extract::<String>()).unwrap_or_default();
    let (foreign, own) = if cfg!(target_endian = "little") { (">", "little") } else { ("<", "big") };
    if text_of("byteorder") == foreign {
        return WrongTypeError::new_err(format!(
            "the array has the byte order `{foreign}`, and this machine is {own}-endian: pass `array.astype(\"{}\")`",
            text_of("name")
        ));
    }
    if ["O", "S", "U", "M", "m"].contains(&&*text_of("kind")) {
        return WrongTypeError::new_err(format!("an array of dtype `{dtype}` holds no numbers that kernels have"));
    }
    AccessError::new_err(format!("an array of dtype `{dtype}`: {}", error.value(py)))
}

/// Parts of an array before they are checked.
pub(crate) struct Parts {
    pub(crate) handle: NativeHandle,
    pub(crate) element: Option<&'static ElementFormat>,
    pub(crate) type_name: String,
    pub(crate) shape: Vec<i64>,
    /// In elements; `None`: row-major without gaps.
    pub(crate) strides: Option<Vec<i64>>,
    pub(crate) read_only: bool,
    pub(crate) keep: Box<dyn Any + Send + Sync>,
}

impl Parts {
    fn check(self) -> PyResult<Foreign> {
        let Self { handle, element, type_name, shape, strides, read_only, keep } = self;
        let element = element.ok_or_else(|| {
            WrongTypeError::new_err(format!("arrays of {type_name} cannot be used: kernels have no such type"))
        })?;
        if shape.iter().any(|&extent| extent < 0) {
            return Err(AccessError::new_err(format!("the array's shape {shape:?} is negative")));
        }
        // Extents of 0 count as 1, because strides are computed from them too.
        let mut extents = shape.iter().map(|&extent| extent.max(1));
        if extents.try_fold(i64::from(element.bytes), |bytes, extent| bytes.checked_mul(extent)).is_none() {
            return Err(AccessError::new_err(format!("the array's shape {shape:?} is too large to address")));
        }
        let expected = row_major(&shape);
        let empty = shape.contains(&0);
        let gaps = strides.is_some_and(|strides| {
            let mut axes = shape.iter().zip(strides.iter().zip(&expected));
            !empty && axes.any(|(&extent, (stride, expected))| extent > 1 && stride != expected)
        });
        if gaps {
            return Err(AccessError::new_err(
                "the array is not contiguous in row-major order, and would have to be copied: pass \
                 `numpy.ascontiguousarray(array)`, or its like",
            ));
        }
        Ok(Foreign { handle, element, shape, read_only, keep })
    }
}

fn import_dlpack(object: &Bound<'_, PyAny>, device: &Device) -> PyResult<Foreign> {
    let py = object.py();
    let lies_on = object.call_method0("__dlpack_device__")?;
    let lies_on: (i32, i32) = lies_on.extract().map_err(|_| {
        WrongTypeError::new_err(format!("`__dlpack_device__` gives {lies_on}, expected device type and device id"))
    })?;
    // Before the array is asked for its tensor, so that nothing is consumed where it cannot be used.
    let api = api_of(lies_on)?;
    let arguments = PyDict::new(py);
    if api == Api::CUDA {
        require_cuda(device, Some(lies_on).filter(|&(kind, _)| kind == CUDA).map(|(_, id)| id))?;
        arguments.set_item("stream", device.stream().handle())?;
    }
    arguments.set_item("max_version", (1, 0))?;
    let capsule = match object.call_method("__dlpack__", (), Some(&arguments)) {
        // Producers from before version 1 do not know the argument.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            arguments.del_item("max_version")?;
            object.call_method("__dlpack__", (), Some(&arguments))?
        }
        capsule => capsule?,
    };
    let (taken, described) = dlpack::take(&capsule)?;
    // PyTorch calls page-locked memory CUDA's in one place and the host's in the other.
    let is_elsewhere = api == Api::CUDA && described.device.1 != lies_on.1;
    if is_elsewhere || api_of(described.device).ok() != Some(api) {
        return Err(AccessError::new_err(format!(
            "the array says that it lies on DLPack device {lies_on:?}, but its tensor lies on {:?}",
            described.device
        )));
    }
    let address = described.data.wrapping_add(described.byte_offset);
    let (code, bits, lanes) = described.dtype;
    Parts {
        handle: NativeHandle::Address { api, address },
        element: ElementFormat::of_dlpack(code, bits, lanes),
        type_name: format!("DLPack type {code} of {bits} bits, {lanes} lanes"),
        shape: described.shape,
        strides: described.strides,
        read_only: described.read_only || is_immutable(object)?,
        keep: Box::new(taken),
    }
    .check()
}

/// The API whose addresses a DLPack device has.
/// # Errors
/// `BufferError` for a device whose memory no mode takes in place.
fn api_of((kind, id): (i32, i32)) -> PyResult<Api> {
    match kind {
        CUDA | CUDA_MANAGED => Ok(Api::CUDA),
        _ if DeviceKind(kind).is_host() => Ok(Api::HOST),
        _ => Err(AccessError::new_err(format!(
            "the array lies on DLPack device ({kind}, {id}); only arrays on the host (1, 3, 11) and on CUDA (2, 13) can \
             be used in place: copy it to the host first"
        ))),
    }
}

/// The arrays of JAX and Arrow and the tensors of TensorFlow are immutable, which their DLPack capsules do not say.
fn is_immutable(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = object.get_type().module()?;
    let module = module.to_cow()?;
    let package = module.split('.').next().unwrap_or_default();
    Ok(matches!(package, "jax" | "jaxlib" | "tensorflow" | "pyarrow"))
}

/// Refuses an array on CUDA where the device is none, or another one; `id` where the array says which it lies on.
fn require_cuda(device: &Device, id: Option<i32>) -> PyResult<()> {
    let place = id.map_or_else(|| "a CUDA device".to_owned(), |id| format!("cuda:{id}"));
    if device.mode() != CUDA_MODE {
        return Err(AccessError::new_err(format!(
            "the array lies on {place}, which mode `{}` cannot use in place: copy it to the host first",
            device.mode()
        )));
    }
    let own = device.info().device_id;
    if id.is_some_and(|id| id != own as i32) {
        return Err(AccessError::new_err(format!(
            "the array lies on {place}, and this device is cuda:{own}: copy it there first"
        )));
    }
    Ok(())
}

fn import_cuda_interface(
    object: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyDict>,
    device: &Device,
) -> PyResult<Foreign> {
    require_cuda(device, None)?;
    if interface.get_item("mask")?.is_some_and(|mask| !mask.is_none()) {
        return Err(AccessError::new_err("arrays with a mask cannot be used in place"));
    }
    // Without a stream the array is said to be ready, which holds for whoever works on the default stream.
    let stream = match interface.get_item("stream")? {
        Some(stream) if !stream.is_none() => stream_number(&stream)?,
        _ => LEGACY_STREAM,
    };
    let own = device.stream();
    // SAFETY: the protocol demands that the stream lives while the array, which is borrowed here, does.
    object.py().detach(|| unsafe { take_back(&own, stream) }).or_raise()?;
    interface_parts(object, interface, "__cuda_array_interface__", NativeHandle::cuda)?.check()
}

/// An open buffer.
struct OpenBuffer(Box<ffi::Py_buffer>);

// SAFETY: the buffer is released with Python's lock held, and only read otherwise.
unsafe impl Send for OpenBuffer {}
// SAFETY: as above.
unsafe impl Sync for OpenBuffer {}

impl Drop for OpenBuffer {
    fn drop(&mut self) {
        // While the interpreter ends there is no lock to take, and nothing left to release to.
        // SAFETY: the buffer is open, and this is its last use.
        let _ = Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut *self.0) });
    }
}

fn import_buffer(object: &Bound<'_, PyAny>) -> PyResult<Foreign> {
    let mut buffer = Box::new(ffi::Py_buffer::new());
    // SAFETY: the object is live, and the buffer is ours to fill.
    let status =
        unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *buffer, ffi::PyBUF_STRIDES | ffi::PyBUF_FORMAT) };
    if status != 0 {
        return Err(PyErr::fetch(object.py()));
    }
    let open = OpenBuffer(buffer);
    let buffer = &*open.0;
    let (axes, item) = (buffer.ndim as usize, buffer.itemsize.max(1) as usize);
    let list = |pointer: *const isize| match axes {
        0 => Vec::new(),
        // SAFETY: with these flags shape and strides have `ndim` entries.
        _ => unsafe { std::slice::from_raw_parts(pointer, axes) }.iter().map(|&entry| entry as i64).collect(),
    };
    // SAFETY: a format that is not null is zero-terminated.
    let format = (!buffer.format.is_null()).then(|| unsafe { CStr::from_ptr(buffer.format) }.to_string_lossy());
    let format = format.as_deref().unwrap_or("B");
    let strides: Vec<i64> = list(buffer.strides);
    // A stride that is no whole number of elements makes the array not contiguous, whatever it is rounded to.
    let in_elements = |stride: &i64| {
        if stride % item as i64 == 0 { stride / item as i64 } else { i64::MIN }
    };
    let parts = Parts {
        handle: NativeHandle::host(buffer.buf as usize as u64),
        element: ElementFormat::of_format(format, item),
        type_name: format!("format `{format}`"),
        shape: list(buffer.shape),
        strides: Some(strides.iter().map(in_elements).collect()),
        read_only: buffer.readonly != 0,
        keep: Box::new(()),
    };
    Parts { keep: Box::new(open), ..parts }.check()
}

fn import_interface(object: &Bound<'_, PyAny>, interface: &Bound<'_, PyDict>) -> PyResult<Foreign> {
    interface_parts(object, interface, "__array_interface__", NativeHandle::host)?.check()
}

/// What the two array interfaces share.
fn interface_parts(
    object: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyDict>,
    protocol: &str,
    handle: fn(u64) -> NativeHandle,
) -> PyResult<Parts> {
    let entry = |name: &str| {
        interface.get_item(name)?.ok_or_else(|| WrongTypeError::new_err(format!("`{protocol}` has no `{name}`")))
    };
    let (address, read_only): (u64, bool) = entry("data")?.extract().map_err(|_| {
        WrongTypeError::new_err(format!(
            "`{protocol}` has no address in `data`: such an object cannot be used in place"
        ))
    })?;
    let type_name: String = entry("typestr")?.extract()?;
    let shape: Vec<i64> = entry("shape")?.extract()?;
    let strides: Option<Vec<i64>> = match interface.get_item("strides")? {
        Some(strides) => strides.extract()?,
        None => None,
    };
    let element = type_name_element(&type_name);
    let item = element.map_or(1, |element| i64::from(element.bytes));
    // A stride that is no whole number of elements makes the array not contiguous, whatever it is rounded to.
    let in_elements = |stride: &i64| if stride % item == 0 { stride / item } else { i64::MIN };
    Ok(Parts {
        handle: handle(address),
        element,
        type_name: format!("type `{type_name}`"),
        shape,
        strides: strides.map(|strides| strides.iter().map(in_elements).collect()),
        read_only,
        keep: Box::new(object.clone().unbind()),
    })
}

/// `<f8` and its like, in this machine's byte order.
fn type_name_element(name: &str) -> Option<&'static ElementFormat> {
    ElementFormat::find(|element| element.type_string() == name)
}
