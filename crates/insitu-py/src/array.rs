//! `ferrocca.Array`: what fields and memory are to array libraries.

use crate::dlpack::READ_ONLY_ON_CUDA;
use crate::error::{AccessError, WrongTypeError};
use crate::graph;
use crate::owner::FreeAtDrop;
use crate::protocols::{self, Asked};
use crate::step::Step;
use crate::stream::stream_number;
use crate::view::View;
use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;
use std::sync::Arc;

/// A shaped range of memory, on the host or on a device. Array libraries see it in place: through DLPack,
/// `__cuda_array_interface__`, `__array_interface__` and the buffer protocol.
#[pyclass(frozen, weakref, subclass, module = "ferrocca", name = "Array")]
pub(crate) struct PyArray {
    pub(crate) view: Arc<View>,
    /// For a field of a frame: where its use is noted.
    step: Option<Arc<Step>>,
    /// The array that `array()` gave, so that the next call costs nothing.
    natural: PyOnceLock<Py<PyAny>>,
    /// After all that holds memory.
    _free_at_drop: FreeAtDrop,
}

impl PyArray {
    pub(crate) fn new(view: Arc<View>) -> Self {
        Self { view, step: None, natural: PyOnceLock::new(), _free_at_drop: FreeAtDrop }
    }

    pub(crate) fn of_step(view: Arc<View>, step: Arc<Step>) -> Self {
        Self { step: Some(step), ..Self::new(view) }
    }

    /// The module and the function of it that show this memory in place; `None` where no library does. Here alone it is
    /// decided whether `array()` answers, and `in_place` says so.
    fn natural_library(&self) -> Option<(&'static str, &'static str)> {
        if self.view.is_on_host() {
            return Some(("numpy", "asarray"));
        }
        (self.view.is_on_cuda() && !self.view.read_only).then_some(("cupy", "from_dlpack"))
    }

    /// Why no library shows this memory, with the ways that are left.
    fn no_natural_library(&self) -> PyErr {
        if self.view.is_on_cuda() {
            return AccessError::new_err(READ_ONLY_ON_CUDA);
        }
        let way = if self.view.is_on_opencl() {
            ", `int_ptr` its `cl_mem` for PyOpenCL".to_owned()
        } else {
            self.view.way_to_cuda().map(|way| format!(", and {way}")).unwrap_or_default()
        };
        AccessError::new_err(format!(
            "no array library can view memory on {}: `to_host()` makes a copy{way}; check `in_place` first",
            protocols::device_name(&self.view)
        ))
    }

    fn make_natural_array(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let (name, function) = self.natural_library().ok_or_else(|| self.no_natural_library())?;
        self.view.note_shared();
        let library = py.import(name).map_err(|error| self.missing(py, name, error))?;
        // Arrays take no part in garbage collection: one that held `self`, which holds it, would stay for ever. So
        // it hangs on an object of its own that shows the same view.
        let exporter = Bound::new(py, Self::new(self.view.clone()))?;
        Ok(library.call_method1(function, (exporter,))?.unbind())
    }

    /// The view, where it is of an OpenCL device's own memory.
    fn on_opencl(&self) -> PyResult<&View> {
        if self.view.is_on_opencl() {
            return Ok(&self.view);
        }
        let place = protocols::device_name(&self.view);
        Err(AccessError::new_err(format!("this memory is on {place} and has no `cl_mem`")))
    }

    /// Says which package to install where the library for this memory is not there.
    fn missing(&self, py: Python<'_>, library: &str, error: PyErr) -> PyErr {
        if !error.is_instance_of::<PyModuleNotFoundError>(py) {
            return error;
        }
        let worded = py.import("ferrocca._packages").and_then(|packages| {
            let package: String = packages.call_method1("package_of", (library,))?.extract()?;
            let place = protocols::device_name(&self.view);
            let text =
                format!("No module named '{library}', which is needed to view memory on {place}: install `{package}`");
            let keywords = PyDict::new(py);
            keywords.set_item("name", library)?;
            let exception = py.get_type::<PyModuleNotFoundError>().call((text,), Some(&keywords))?;
            Ok(PyErr::from_value(exception))
        });
        worded.unwrap_or(error)
    }

    /// Puts CuPy's current stream behind the work that writes the memory, and notes it as used.
    fn order_for_cupy(&self, py: Python<'_>) -> PyResult<()> {
        static CURRENT_STREAM: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let current = CURRENT_STREAM.import(py, "cupy.cuda", "get_current_stream")?;
        let stream = current.call1((self.view.device.1,))?;
        let number = stream_number(&stream.getattr(pyo3::intern!(py, "ptr"))?)?;
        // SAFETY: the stream object is held here.
        unsafe { self.view.hand_over(py, number)? };
        if let Some(step) = &self.step {
            step.uses(number, &stream);
        }
        Ok(())
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

    /// The element type: text, such as `float64`, with `name`, `kind` and `itemsize`.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.view.element.object(py)
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

    /// Address of the first element, on the device that `device` names, or the native handle where it has no addresses.
    #[getter]
    fn ptr(&self) -> u64 {
        self.view.note_shared();
        self.view.data
    }

    /// For memory of an OpenCL device: the `cl_mem`, as `pyopencl.MemoryObject.from_int_ptr` takes it. The first element
    /// lies `offset` bytes into it. What is queued in `pyopencl.CommandQueue.from_int_ptr(array.queue_int_ptr)` comes
    /// after the work that writes the memory, and before what its owner queues later.
    #[getter]
    fn int_ptr(&self) -> PyResult<u64> {
        let view = self.on_opencl()?;
        view.note_shared();
        Ok(view.data)
    }

    /// Bytes from the start of what `int_ptr` names to the first element; 0 where `ptr` is an address.
    #[getter]
    fn offset(&self) -> u64 {
        self.view.byte_offset
    }

    /// The `cl_command_queue` that the work on this memory is queued in.
    #[getter]
    fn queue_int_ptr(&self) -> PyResult<u64> {
        self.on_opencl().map(View::stream)
    }

    /// The device of the memory: `cpu`, `cuda:0` …
    #[getter]
    fn device(&self) -> String {
        protocols::device_name(&self.view)
    }

    /// Whether `array()` shows this memory in place. Where it does not, which is so for memory that no array library
    /// knows (OpenCL's and WebGPU's own) and for read-only memory on CUDA, `array()` is refused, and `to_host()` is the
    /// copy to ask for.
    #[getter]
    fn in_place(&self) -> bool {
        self.natural_library().is_some()
    }

    /// An array of the device's natural library that shows this memory: NumPy's on the host, CuPy's on CUDA.
    /// Nothing is copied, and the next call gives the same array. On the host it shows the memory as it is when this returns,
    /// and until the next work on it is queued: what that writes is there after the next wait, which is `finish()` or
    /// `array()` again. On CUDA, what CuPy queues on its current stream from
    /// now on comes after the work that writes the memory.
    fn array(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if !self.view.is_on_cuda() {
            self.view.wait(py)?;
        }
        let array = self.natural.get_or_try_init(py, || self.make_natural_array(py))?;
        if self.view.is_on_cuda() {
            self.order_for_cupy(py)?;
        }
        Ok(array.clone_ref(py))
    }

    /// The elements as a NumPy array of their own: a copy. It is refused in the block of a graph, whose launches have not run.
    fn to_host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        graph::refuse_reading("`to_host()`")?;
        protocols::host_copy(py, &self.view)
    }

    /// `with array.on_host() as a:` gives a NumPy array of the elements on any device: their own memory where the host
    /// addresses it, else a copy, which is written back at the end of the block when it was changed.
    fn on_host<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("ferrocca._write")?.call_method1("OnHost", (slf,))
    }

    /// The same memory for libraries whose arrays are immutable: `jax.dlpack.from_dlpack(field.frozen())`. It is not
    /// written while such an array lives: arrays over a field are let go before `step` returns, and who has frozen
    /// memory does not write it meanwhile.
    fn frozen(&self, py: Python<'_>) -> PyResult<Py<Self>> {
        let view = Arc::new(self.view.freeze());
        if let Some(step) = &self.step {
            step.froze(&view);
        }
        Py::new(py, Self::new(view))
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        protocols::array_interface(py, &self.view)
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.view.note_shared();
        protocols::cuda_array_interface(py, &self.view)
    }

    /// NumPy asks for this where there is no other way: for memory that the host cannot address.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, view) = (slf.py(), &slf.get().view);
        if !view.is_on_host() {
            return Err(WrongTypeError::new_err(format!(
                "this memory is on {}, but NumPy arrays are on the host: `to_host()` makes a copy; if `in_place` is \
                 true, `array()` gives a view",
                protocols::device_name(view)
            )));
        }
        let keywords = PyDict::new(py);
        keywords.set_item("dtype", dtype)?;
        if copy.is_some() {
            keywords.set_item("copy", copy)?;
        }
        let numpy = py.import("numpy")?;
        let array = numpy.call_method1("asarray", (py.import("builtins")?.call_method1("memoryview", (slf,))?,))?;
        numpy.call_method("asarray", (array,), Some(&keywords))
    }

    /// `jax.numpy.asarray` asks for this first, and takes what it gets for immutable.
    fn __jax_array__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("jax.dlpack")?.call_method1("from_dlpack", (self.frozen(py)?,))
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
        self.view.note_shared();
        protocols::dlpack(py, &self.view, &Asked { stream, max_version, device: dl_device, copy })
    }

    unsafe fn __getbuffer__(slf: Bound<'_, Self>, buffer: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let view = slf.get().view.clone();
        // SAFETY: Python passes a buffer to fill. The class is frozen: the view stays the same while `slf` lives.
        unsafe { protocols::fill_buffer(&view, slf.into_any(), buffer, flags) }
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.view.shape.first();
        first.map(|&extent| extent as usize).ok_or_else(|| WrongTypeError::new_err("an array of no axes has no length"))
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.Array({})", protocols::describe(&self.view))
    }
}
