//! The protocols by which array libraries see a [`View`].

use crate::dlpack::{self, Request};
use crate::element::Element;
use crate::view::{HOST, View};
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::ffi::c_int;
use std::sync::Arc;

/// `__array_interface__`, version 3.
/// # Errors
/// `AttributeError` for memory that the host cannot address, so that `hasattr` says the truth.
pub(crate) fn array_interface<'py>(py: Python<'py>, view: &View) -> PyResult<Bound<'py, PyDict>> {
    let address = view.host_address().map_err(|error| PyAttributeError::new_err(error.to_string()))?;
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("shape", PyTuple::new(py, &view.shape)?)?;
    interface.set_item("typestr", view.element.type_string())?;
    interface.set_item("data", (address, view.read_only))?;
    if view.is_contiguous() {
        interface.set_item("strides", py.None())?;
    } else {
        interface.set_item("strides", PyTuple::new(py, &view.byte_strides)?)?;
    }
    Ok(interface)
}

/// `__dlpack__`.
/// # Errors
/// `BufferError` for what cannot be had in place, or on that device.
pub(crate) fn dlpack<'py>(
    py: Python<'py>,
    view: &Arc<View>,
    stream: Option<i64>,
    max_version: Option<(u32, u32)>,
    device: Option<(i32, i32)>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    // -1 asks for no synchronisation, which on the host there is none of.
    if view.is_on_host() && stream.is_some_and(|stream| stream != -1) {
        return Err(PyBufferError::new_err("host memory has no stream: `stream` is None here"));
    }
    let to_host = device.is_some_and(|device| device == (HOST, 0)) && !view.is_on_host();
    let copy = copy.unwrap_or(false);
    if device.is_some_and(|device| device != view.device) && !to_host {
        return Err(PyBufferError::new_err(format!(
            "this memory is on DLPack device {:?}, and can be had there or, as a copy, on the host ({HOST}, 0)",
            view.device
        )));
    }
    if to_host && !copy {
        return Err(PyBufferError::new_err(
            "this memory is not the host's: having it there needs a copy, which `copy=True` asks for",
        ));
    }
    if copy && !to_host && !view.is_on_host() {
        return Err(PyBufferError::new_err("a copy is made on the host only: ask with `dl_device=(1, 0)`"));
    }
    if stream != Some(-1) {
        view.synchronize(py)?;
    }
    let versioned = max_version.is_some_and(|(major, _)| major >= 1);
    dlpack::export(py, view, Request { versioned, copy })
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
        return Err(PyBufferError::new_err("this memory is read-only"));
    }
    let contiguous = view.is_contiguous();
    let wants_contiguous = !asks(ffi::PyBUF_STRIDES) || asks(ffi::PyBUF_C_CONTIGUOUS);
    let columns = asks(ffi::PyBUF_F_CONTIGUOUS) && view.shape.len() > 1;
    if (wants_contiguous && !contiguous) || columns || (asks(ffi::PyBUF_ANY_CONTIGUOUS) && !contiguous) {
        return Err(PyBufferError::new_err("this memory is not laid out as the consumer wants it"));
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
    let numpy = py.import("numpy")?;
    let bytes = PyBytes::new(py, &view.copy_to_host(py)?);
    // Through `bytearray`, because an array over `bytes` would be read-only.
    let bytes = py.import("builtins")?.call_method1("bytearray", (bytes,))?;
    let flat = numpy.call_method1("frombuffer", (bytes, view.element.name))?;
    flat.call_method1("reshape", (PyTuple::new(py, &view.shape)?,))
}

/// `u float64 (258,) on cpu`, for a `repr`.
pub(crate) fn describe(view: &View) -> String {
    let Element { name, .. } = view.element;
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
        (2, id) => format!("cuda:{id}"),
        (4, id) => format!("opencl:{id}"),
        (15, id) => format!("webgpu:{id}"),
        (kind, id) => format!("dlpack({kind}):{id}"),
    }
}
