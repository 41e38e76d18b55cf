//! `ferrocca.Device` and `ferrocca.modes()`.

use crate::borrowed::{Borrowed, note_use};
use crate::element::ElementFormat;
use crate::error::OrRaise;
use crate::import::{Foreign, import};
use crate::interrupt::wait;
use crate::kernel::PyKernel;
use crate::memory::{PyMemory, count, parse_shape, with_type};
use crate::owner::free_released;
use crate::pool::PyPool;
use crate::props::props;
use crate::stream::PyStream;
use ferrocca::{AnyMemory, Device, Element, Memory, Placement};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// An open device: `ferrocca.Device("mode=CPU, threads=2")`.
#[pyclass(frozen, module = "ferrocca", name = "Device")]
pub(crate) struct PyDevice {
    device: Device,
}

impl PyDevice {
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}

/// Takes an array of somebody else as memory of `device`, in place.
pub(crate) fn wrap_foreign(device: &Device, foreign: Foreign) -> PyResult<AnyMemory> {
    fn wrap<T: Element>(device: &Device, foreign: Foreign) -> ferrocca::Result<AnyMemory> {
        let (len, keep) = (foreign.len(), Box::new(Borrowed::new(foreign.keep)));
        // SAFETY: the protocols promise that the array lies there and stays while `keep` is not dropped. Others may
        // write to it meanwhile: like a kernel, they are ordered by the program.
        unsafe { device.wrap_memory_with_owner::<T>(foreign.handle, len, Some(keep)) }.map(Memory::into_untyped)
    }
    with_type!(foreign.element.dtype, T => wrap::<T>(device, foreign).or_raise())
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (properties))]
    fn new(py: Python<'_>, properties: &Bound<'_, PyAny>) -> PyResult<Self> {
        let properties = props(Some(properties))?;
        let device = py.detach(|| Device::open(properties)).or_raise()?;
        Ok(Self { device })
    }

    /// Canonical name of its mode.
    #[getter]
    fn mode(&self) -> &'static str {
        self.device.mode()
    }

    /// Its name, such as the processor's.
    #[getter]
    fn name(&self) -> &str {
        &self.device.info().name
    }

    /// What is known about it.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (info, known) = (PyDict::new(py), self.device.info());
        info.set_item("mode", known.mode)?;
        info.set_item("name", &known.name)?;
        info.set_item("device_id", known.device_id)?;
        info.set_item("memory_bytes", known.memory_bytes)?;
        info.set_item("cores", known.cores)?;
        info.set_item("architecture", &known.architecture)?;
        info.set_item("compiler", &known.compiler)?;
        info.set_item("driver", &known.driver)?;
        Ok(info)
    }

    /// Whether its memory is not the host's.
    #[getter]
    fn has_separate_memory_space(&self) -> bool {
        self.device.has_separate_memory_space()
    }

    /// Bytes that were allocated and not freed; wrapped arrays do not count.
    #[getter]
    fn memory_allocated(&self) -> u64 {
        free_released();
        self.device.memory_allocated()
    }

    /// The most that `memory_allocated` has been.
    #[getter]
    fn max_memory_allocated(&self) -> u64 {
        self.device.max_memory_allocated()
    }

    /// Memory of a shape (an integer or a sequence) and type. Its contents are unspecified. With `host` it is pinned
    /// memory of the host, which NumPy sees in place.
    #[pyo3(signature = (shape, dtype = None, *, host = false))]
    fn malloc(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        host: bool,
    ) -> PyResult<Py<PyMemory>> {
        free_released();
        let shape = parse_shape(shape)?;
        let element = ElementFormat::parse_or_f64(dtype)?;
        let len = count(&shape, element)?;
        let placement = if host { Placement::HostPinned } else { Placement::Device };
        let memory = py.detach(|| {
            with_type!(element.dtype, T => {
                self.device.malloc_placed::<T>(len, placement).map(Memory::into_untyped).or_raise()
            })
        })?;
        PyMemory::new(py, memory, element, &shape, false)
    }

    /// Memory with a copy of an array on the host or on this device, of its shape and type.
    fn malloc_from(&self, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Py<PyMemory>> {
        free_released();
        let source = import(source, &self.device)?;
        let (element, shape, len) = (source.element, source.shape.clone(), source.len());
        if !source.is_on_host() {
            let source = wrap_foreign(&self.device, source)?;
            note_use(&source);
            let copy = py.detach(|| source.duplicate()).or_raise()?;
            return PyMemory::new(py, copy, element, &shape, false);
        }
        let mut memory = py.detach(
            || with_type!(element.dtype, T => self.device.malloc::<T>(len).map(Memory::into_untyped).or_raise()),
        )?;
        source.copy_into(py, &mut memory)?;
        PyMemory::new(py, memory, element, &shape, false)
    }

    /// Memory that is an array of another library: nothing is copied, and the array stays alive with it. What this
    /// device queues comes after what that library has queued on its current stream.
    fn wrap(&self, py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Py<PyMemory>> {
        free_released();
        let foreign = import(array, &self.device)?;
        let (element, shape, read_only) = (foreign.element, foreign.shape.clone(), foreign.read_only);
        let memory = wrap_foreign(&self.device, foreign)?;
        PyMemory::new(py, memory, element, &shape, read_only)
    }

    /// A pool, from which memory is reserved without asking the driver each time.
    fn create_memory_pool(&self) -> PyResult<PyPool> {
        self.device.create_memory_pool().or_raise().map(PyPool::new)
    }

    /// Free and total memory of the device in bytes, whoever uses it.
    fn memory_info(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        free_released();
        let info = py.detach(|| self.device.memory_info()).or_raise()?;
        Ok((info.free, info.total))
    }

    /// The calling thread's current stream: the one last given to `set_stream`, else the default.
    #[getter]
    fn stream(&self) -> PyStream {
        PyStream::new(self.device.stream())
    }

    /// Another stream, with properties of the mode.
    #[pyo3(signature = (properties = None))]
    fn create_stream(&self, py: Python<'_>, properties: Option<&Bound<'_, PyAny>>) -> PyResult<PyStream> {
        let properties = props(properties)?;
        py.detach(|| self.device.create_stream_with(properties)).or_raise().map(PyStream::new)
    }

    /// A stream of another library, in place; its object stays alive with it.
    fn wrap_stream(&self, stream: &Bound<'_, PyAny>) -> PyResult<PyStream> {
        PyStream::wrap(&self.device, stream)
    }

    /// Makes `stream` the one that copies and launches of the calling thread use.
    fn set_stream(&self, stream: &Bound<'_, PyStream>) -> PyResult<()> {
        self.device.set_stream(&stream.get().stream).or_raise()
    }

    /// Builds a kernel of an OKL file.
    #[pyo3(signature = (path, name, properties = None))]
    fn build_kernel(
        &self,
        py: Python<'_>,
        path: PathBuf,
        name: &str,
        properties: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyKernel> {
        let properties = props(properties)?;
        py.detach(|| self.device.build_kernel(&path, name, properties)).or_raise().map(PyKernel::new)
    }

    /// Builds a kernel of OKL text.
    #[pyo3(signature = (source, name, properties = None))]
    fn build_kernel_from_string(
        &self,
        py: Python<'_>,
        source: &str,
        name: &str,
        properties: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyKernel> {
        let properties = props(properties)?;
        py.detach(|| self.device.build_kernel_from_string(source, name, properties)).or_raise().map(PyKernel::new)
    }

    /// Waits for everything that was queued. Ctrl-C ends the wait, and what was queued runs on.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        // Before, too: what is let go here waits for tags, which the wait then reaches.
        free_released();
        let finished = wait(py, |limit| self.device.finish_within(limit));
        free_released();
        finished
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.device == other.device
    }

    fn __hash__(&self) -> usize {
        // One number per open device: that of its backend's object.
        std::sync::Arc::as_ptr(self.device.backend()).cast::<u8>() as usize
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.Device({}, {})", self.device.mode(), self.device.info().name)
    }
}

/// The modes of this build: for each its name, a description, and its devices, or why it has none.
#[pyfunction]
pub(crate) fn modes(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for (mode, devices) in py.detach(ferrocca::probe) {
        let entry = PyDict::new(py);
        entry.set_item("name", mode.name)?;
        entry.set_item("description", mode.description)?;
        match devices {
            Ok(devices) => {
                let names: Vec<String> = devices.into_iter().map(|device| device.name).collect();
                entry.set_item("devices", names)?;
                entry.set_item("unavailable", py.None())?;
            }
            Err(error) => {
                entry.set_item("devices", PyList::empty(py))?;
                entry.set_item("unavailable", error.to_string())?;
            }
        }
        list.append(entry)?;
    }
    Ok(list)
}
