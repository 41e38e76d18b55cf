//! `ferrocca.Array`: what fields and memory are to array libraries.

use crate::protocols;
use crate::view::{HOST, View};
use ferrocca::insitu::DeviceKind;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;
use std::sync::Arc;

/// A shaped range of memory, on the host or on a device. Array libraries see it in place: through DLPack,
/// `__array_interface__` and the buffer protocol.
#[pyclass(frozen, subclass, module = "ferrocca", name = "Array")]
pub(crate) struct PyArray {
    pub(crate) view: Arc<View>,
    /// The array that `array()` gave, so that the next call costs nothing.
    natural: PyOnceLock<Py<PyAny>>,
}

impl PyArray {
    pub(crate) fn new(view: Arc<View>) -> Self {
        Self { view, natural: PyOnceLock::new() }
    }

    fn make_natural_array(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        const CUDA: i32 = DeviceKind::Cuda as i32;
        let (library, function) = match self.view.device.0 {
            HOST => ("numpy", "asarray"),
            CUDA => ("cupy", "from_dlpack"),
            _ => {
                return Err(PyBufferError::new_err(format!(
                    "no array library shows memory on {}: `to_host()` gives a copy",
                    protocols::device_name(&self.view)
                )));
            }
        };
        // Arrays take no part in garbage collection: one that held `self`, which holds it, would stay for ever. So
        // it hangs on an object of its own that shows the same view.
        let exporter = Bound::new(py, Self::new(self.view.clone()))?;
        Ok(py.import(library)?.call_method1(function, (exporter,))?.unbind())
    }
}

#[pymethods]
impl PyArray {
    /// Elements along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.view.shape)
    }

    /// Bytes from one index to the next along each axis.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.view.byte_strides)
    }

    /// Name of the element type, such as `float64`.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.view.element.name
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.view.shape.len()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.view.size()
    }

    /// Size of an element in bytes.
    #[getter]
    fn itemsize(&self) -> u8 {
        self.view.element.bytes
    }

    /// Size of all elements in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.view.bytes()
    }

    /// Whether writing is refused.
    #[getter]
    fn readonly(&self) -> bool {
        self.view.read_only
    }

    /// Address of the first element, or the native handle where the device has no addresses.
    #[getter]
    fn ptr(&self) -> u64 {
        self.view.data
    }

    /// The device of the memory: `cpu`, `cuda:0` …
    #[getter]
    fn device(&self) -> String {
        protocols::device_name(&self.view)
    }

    /// An array of the device's natural library that shows this memory: NumPy's on the host, CuPy's on CUDA.
    /// Nothing is copied, and the next call gives the same array.
    fn array(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.natural.get_or_try_init(py, || self.make_natural_array(py)).map(|array| array.clone_ref(py))
    }

    /// The elements as a NumPy array of their own: a copy.
    fn to_host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        protocols::host_copy(py, &self.view)
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        protocols::array_interface(py, &self.view)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        self.view.device
    }

    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        protocols::dlpack(py, &self.view, stream, max_version, dl_device, copy)
    }

    unsafe fn __getbuffer__(slf: Bound<'_, Self>, buffer: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let view = slf.get().view.clone();
        // SAFETY: Python passes a buffer to fill. The class is frozen: the view stays the same while `slf` lives.
        unsafe { protocols::fill_buffer(&view, slf.into_any(), buffer, flags) }
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.view.shape.first();
        first.map(|&extent| extent as usize).ok_or_else(|| PyTypeError::new_err("an array of no axes has no length"))
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.Array({})", protocols::describe(&self.view))
    }
}
