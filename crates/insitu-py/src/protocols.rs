//! The protocols by which array libraries see a [`View`].

use crate::dlpack::{self, Contents, READ_ONLY_ON_CUDA, Request};
use crate::element::ElementFormat;
use crate::error::AccessError;
use crate::graph;
use crate::view::{CUDA, CUDA_HOST, HOST, View};
use ferrocca::insitu::LEGACY_STREAM;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;
use std::sync::Arc;

/// `__array_interface__`, version 3.
/// # Errors
/// `AttributeError` for memory that the host cannot address, so that `hasattr` says the truth; failures of queued work.
pub(crate) fn array_interface<'py>(py: Python<'py>, view: &View) -> PyResult<Bound<'py, PyDict>> {
    let address = view.host_address().map_err(|error| PyAttributeError::new_err(error.to_string()))?;
    view.synchronize(py)?;
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("shape", PyTuple::new(py, &view.shape)?)?;
    interface.set_item("typestr", view.element.type_string())?;
    interface.set_item("data", (address, view.read_only))?;
    interface.set_item("strides", strides_of(py, view)?)?;
    Ok(interface)
}

/// `__cuda_array_interface__`, version 3. PyTorch ignores its stream, whatever its own current stream is; so the host waits
/// here until the work that writes the memory is done, and `__dlpack__` is the way that waits for nothing.
/// # Errors
/// `AttributeError` for memory that is not CUDA's, so that `hasattr` says the truth; `BufferError` for a read-only view,
/// because of those who take the interface PyTorch alone heeds the flag.
pub(crate) fn cuda_array_interface<'py>(py: Python<'py>, view: &View) -> PyResult<Bound<'py, PyDict>> {
    if !view.is_on_cuda() {
        return Err(PyAttributeError::new_err(format!("this memory is on {}, not on CUDA", device_name(view))));
    }
    if view.read_only {
        return Err(AccessError::new_err(READ_ONLY_ON_CUDA));
    }
    // SAFETY: the legacy stream always lives.
    unsafe { view.hand_over(py, LEGACY_STREAM)? };
    view.synchronize(py)?;
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("shape", PyTuple::new(py, &view.shape)?)?;
    interface.set_item("typestr", view.element.type_string())?;
    interface.set_item("data", (if view.size() == 0 { 0 } else { view.data }, false))?;
    interface.set_item("strides", strides_of(py, view)?)?;
    interface.set_item("stream", view.stream())?;
    Ok(interface)
}

/// Bytes between indices, `None` for row-major order without gaps.
fn strides_of<'py>(py: Python<'py>, view: &View) -> PyResult<Option<Bound<'py, PyTuple>>> {
    if view.is_contiguous() { Ok(None) } else { PyTuple::new(py, &view.byte_strides).map(Some) }
}

/// What a consumer passes to `__dlpack__`.
pub(crate) struct Asked {
    pub(crate) stream: Option<i64>,
    pub(crate) max_version: Option<(u32, u32)>,
    pub(crate) device: Option<(i32, i32)>,
    pub(crate) copy: Option<bool>,
}

/// `__dlpack__`.
/// # Errors
/// `BufferError` for what is not available in place, or on that device.
pub(crate) fn dlpack<'py>(py: Python<'py>, view: &Arc<View>, asked: &Asked) -> PyResult<Bound<'py, PyAny>> {
    let contents = contents_of(view, asked)?;
    match contents {
        // Copying to the host waits for the data by itself.
        Contents::HostCopy => graph::refuse_reading("a copy to the host")?,
        _ if view.is_on_cuda() => {
            if let Some(stream) = consumer_stream(asked.stream)? {
                // A copy is queued where the memory is written, so it comes before what follows here.
                let request = Request { versioned: is_versioned(asked), contents };
                let capsule = dlpack::export(py, view, request)?;
                // SAFETY: the protocol demands that the consumer's stream lives.
                unsafe { view.hand_over(py, stream)? };
                return Ok(capsule);
            }
        }
        // -1 asks for no synchronisation, which on the host there is none of.
        _ if view.is_on_host() && asked.stream.is_some_and(|stream| stream != -1) => {
            return Err(AccessError::new_err("host memory has no stream: `stream` is None here"));
        }
        _ if asked.stream == Some(-1) => {}
        _ => view.synchronize(py)?,
    }
    dlpack::export(py, view, Request { versioned: is_versioned(asked), contents })
}

fn is_versioned(asked: &Asked) -> bool {
    asked.max_version.is_some_and(|(major, _)| major >= 1)
}

/// DLPack's `stream` on CUDA: nothing means the legacy default stream, -1 that nothing is to be ordered.
fn consumer_stream(stream: Option<i64>) -> PyResult<Option<u64>> {
    match stream {
        None => Ok(Some(LEGACY_STREAM)),
        Some(-1) => Ok(None),
        Some(0) => Err(AccessError::new_err(
            "stream 0 is ambiguous, and DLPack forbids it: 1 is the legacy default stream, 2 the thread's default stream",
        )),
        Some(stream) => match u64::try_from(stream) {
            Ok(stream) => Ok(Some(stream)),
            Err(_) => Err(AccessError::new_err(format!("{stream} is not a CUDA stream"))),
        },
    }
}

/// Where the tensor shall be, and whether that needs a copy that was asked for.
fn contents_of(view: &View, asked: &Asked) -> PyResult<Contents> {
    let own = view.device;
    let (target, copy) = (asked.device.unwrap_or(own), asked.copy.unwrap_or(false));
    let here = target == own || (target == (HOST, 0) && view.is_on_host());
    match (here, copy) {
        (true, false) => Ok(Contents::InPlace(target)),
        (true, true) if view.is_on_host() => Ok(Contents::HostCopy),
        (true, true) if view.is_on_cuda() => Ok(Contents::DeviceCopy),
        (true, true) => Err(AccessError::new_err("a copy can only be made on the host: pass `dl_device=(1, 0)`")),
        (false, true) if target == (HOST, 0) => Ok(Contents::HostCopy),
        (false, false) if target == (HOST, 0) => {
            Err(AccessError::new_err("this memory is not on the host: pass `copy=True` for a copy there"))
        }
        (false, _) => Err(AccessError::new_err(format!(
            "this memory is on DLPack device {own:?}; it is available there or, as a copy, on the host ({HOST}, 0)"
        ))),
    }
}

/// Fills a `Py_buffer` that shows the view, and makes `exporter` its owner.
///
/// # Safety
/// `buffer` points to a `Py_buffer` to be filled, as `bf_getbuffer` gets it; `exporter` holds `view` for as long as
/// it lives, and never another one.
/// # Errors
/// `BufferError` for memory that the host cannot address, a writer where it is read-only, or a layout that the
/// consumer did not ask for.
pub(crate) unsafe fn fill_buffer(
    view: &View,
    exporter: Bound<'_, PyAny>,
    buffer: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    // SAFETY: the caller's duty. A consumer that gets an exception must find no owner.
    let buffer = unsafe {
        (*buffer).obj = std::ptr::null_mut();
        &mut *buffer
    };
    let asks = |flag: c_int| flags & flag == flag;
    let address = view.host_address()?;
    if view.read_only && asks(ffi::PyBUF_WRITABLE) {
        return Err(AccessError::new_err("this memory is read-only"));
    }
    let contiguous = view.is_contiguous();
    let wants_contiguous = !asks(ffi::PyBUF_STRIDES) || asks(ffi::PyBUF_C_CONTIGUOUS);
    let columns = asks(ffi::PyBUF_F_CONTIGUOUS) && view.shape.len() > 1;
    if (wants_contiguous && !contiguous) || columns || (asks(ffi::PyBUF_ANY_CONTIGUOUS) && !contiguous) {
        return Err(AccessError::new_err("this memory is not laid out as the consumer wants it"));
    }
    view.synchronize(exporter.py())?;
    // A pointer to no elements is not null either: consumers may refuse that.
    buffer.buf =
        if view.size() == 0 { std::ptr::NonNull::<u64>::dangling().as_ptr().cast() } else { address as *mut _ };
    buffer.len = view.bytes() as isize;
    buffer.readonly = c_int::from(view.read_only);
    buffer.itemsize = isize::from(view.element.bytes);
    buffer.format =
        if asks(ffi::PyBUF_FORMAT) { view.element.format.as_ptr().cast_mut() } else { std::ptr::null_mut() };
    let has_shape = asks(ffi::PyBUF_ND);
    buffer.ndim = if has_shape { view.shape.len() as c_int } else { 1 };
    buffer.shape = if has_shape { view.shape.as_ptr().cast_mut().cast() } else { std::ptr::null_mut() };
    buffer.strides =
        if asks(ffi::PyBUF_STRIDES) { view.byte_strides.as_ptr().cast_mut() } else { std::ptr::null_mut() };
    buffer.suboffsets = std::ptr::null_mut();
    buffer.internal = std::ptr::null_mut();
    buffer.obj = exporter.into_ptr();
    Ok(())
}

/// A NumPy array with a copy of the elements.
/// # Errors
/// `ModuleNotFoundError` without NumPy, failures of the device.
pub(crate) fn host_copy<'py>(py: Python<'py>, view: &View) -> PyResult<Bound<'py, PyAny>> {
    let array = py.import("numpy")?.call_method1("zeros", (PyTuple::new(py, &view.shape)?, view.element.name))?;
    if view.size() > 0 {
        let (address, _): (usize, bool) = array.getattr("__array_interface__")?.get_item("data")?.extract()?;
        // SAFETY: the array was just made, of that many zeros in row-major order, and nobody else has it.
        let elements = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, view.bytes()) };
        view.copy_into(py, elements)?;
    }
    Ok(array)
}

/// `u float64 (258,) on cpu`, for a `repr`.
pub(crate) fn describe(view: &View) -> String {
    let ElementFormat { name, .. } = view.element;
    let extents: Vec<String> = view.shape.iter().map(i64::to_string).collect();
    let shape = match &*extents {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    };
    format!("{name} {shape} on {}{}", device_name(view), if view.read_only { ", read-only" } else { "" })
}

/// `cpu`, `cuda:0` …
pub(crate) fn device_name(view: &View) -> String {
    match view.device {
        (HOST, _) => "cpu".to_owned(),
        (CUDA, id) => format!("cuda:{id}"),
        (CUDA_HOST, _) => "cpu (pinned)".to_owned(),
        (4, id) => format!("opencl:{id}"),
        (15, id) => format!("webgpu:{id}"),
        (kind, id) => format!("dlpack({kind}):{id}"),
    }
}
