//! `ferrocca.Device` and `ferrocca.modes()`.

use crate::borrowed::{Borrowed, note_use};
use crate::element::ElementFormat;
use crate::error::{AccessError, OrRaise, raise_allocating, warn};
use crate::event::PyEvent;
use crate::graph::PyGraph;
use crate::import::{Foreign, import};
use crate::interrupt::wait;
use crate::kernel::PyKernel;
use crate::memory::{PyMemory, count, make_arrays, parse_shape, with_type};
use crate::owner::free_released;
use crate::pool::PyPool;
use crate::primitives::DevicePrimitives;
use crate::props::{device_props, props};
use crate::recipe::{Recipe, Source};
use crate::stream::PyStream;
use ferrocca::{AnyMemory, Device, Element, ErrorKind, Memory, Placement, Props};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// An open device: `ferrocca.Device("mode=CPU, threads=2")`.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Device")]
pub(crate) struct PyDevice {
    device: Device,
    /// Kept for as long as the device is open here.
    primitives: DevicePrimitives,
}

impl PyDevice {
    pub(crate) fn of(device: Device) -> Self {
        Self { primitives: DevicePrimitives::of(&device), device }
    }

    pub(crate) fn open(py: Python<'_>, props: Props) -> PyResult<Self> {
        Self::open_named(py, props, None)
    }

    /// `named`: what `FERROCCA_DEVICE` says, where the properties are from there.
    fn open_named(py: Python<'_>, props: Props, named: Option<&str>) -> PyResult<Self> {
        make_arrays(py)?;
        name_ziglang(py);
        py.detach(|| Device::open(props)).map_err(|error| of_environment(error, named)).or_raise().map(Self::of)
    }

    fn build(&self, py: Python<'_>, recipe: Recipe) -> PyResult<PyKernel> {
        let kernel = py.detach(|| recipe.build(&self.device)).or_raise()?;
        warn(py, kernel.warnings())?;
        Ok(PyKernel::built(kernel, recipe))
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Memory of a shape, of unspecified contents.
    fn of_shape(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        place: Place,
    ) -> PyResult<Py<PyMemory>> {
        free_released();
        let shape = parse_shape(shape)?;
        let element = ElementFormat::parse_or_f64(dtype)?;
        let memory = self.allocate(py, element, count(&shape, element)?, place)?;
        PyMemory::new(py, memory, element, &shape, false)
    }

    /// Memory with a copy of an array on the host or on this device.
    fn copy_of(&self, py: Python<'_>, source: &Bound<'_, PyAny>, place: Place) -> PyResult<Py<PyMemory>> {
        free_released();
        let source = import(source, &self.device)?;
        let (element, shape, len) = (source.element, source.shape.clone(), source.len());
        if !source.is_on_host() {
            let source = wrap_foreign(&self.device, source)?;
            note_use(&source);
            let copy = py.detach(|| source.duplicate()).or_raise()?;
            return PyMemory::new(py, copy, element, &shape, false);
        }
        let mut memory = self.allocate(py, element, len, place)?;
        source.copy_into(py, &mut memory)?;
        PyMemory::new(py, memory, element, &shape, false)
    }

    /// Constant memory with a copy of an array on the host.
    fn constant_of(&self, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Py<PyMemory>> {
        free_released();
        let source = import(source, &self.device)?;
        if !source.is_on_host() {
            return Err(AccessError::new_err(
                "constant memory is made of an array on the host, where its least and greatest element are found: copy the array \
                 to the host first",
            ));
        }
        let (element, device) = (source.element, &self.device);
        let memory = with_type!(element.dtype, T => {
            let values = source.to_vec::<T>()?;
            let made = py.detach(|| self.primitives.kept().make_room(|| device.malloc_constant_from(&values)));
            made.map(Memory::into_untyped).map_err(|error| raise_allocating(error, values.len(), element))
        })?;
        PyMemory::new(py, memory, element, &source.shape, true)
    }

    fn allocate(
        &self,
        py: Python<'_>,
        element: &'static ElementFormat,
        len: usize,
        place: Place,
    ) -> PyResult<AnyMemory> {
        let (kept, device) = (self.primitives.kept(), &self.device);
        py.detach(|| {
            with_type!(element.dtype, T => {
                let made = match place {
                    Place::Own => kept.make_room(|| device.malloc::<T>(len)).map(Memory::into_untyped),
                    Place::Kept => kept.malloc::<T>(device, len),
                    Place::Pinned => device.malloc_placed::<T>(len, Placement::HostPinned).map(Memory::into_untyped),
                };
                made.map_err(|error| raise_allocating(error, len, element))
            })
        })
    }
}

/// The error, with the place that the properties are from.
fn of_environment(error: ferrocca::Error, named: Option<&str>) -> ferrocca::Error {
    match named {
        Some(named) => error.while_doing(format!("opening `{named}` (from the environment variable FERROCCA_DEVICE)")),
        None => error,
    }
}

/// Where memory comes from.
#[derive(Clone, Copy)]
enum Place {
    /// The device, which gets it back as soon as nobody uses it.
    Own,
    /// What arrays have let go, and the device; it is kept for the next arrays.
    Kept,
    /// The host, pinned.
    Pinned,
}

/// Tells the processor's modes where this Python has its package `ziglang`, a C compiler for machines without one.
fn name_ziglang(py: Python<'_>) {
    static NAMED: PyOnceLock<()> = PyOnceLock::new();
    NAMED.get_or_init(py, || {
        let found = py.import("ferrocca._packages").and_then(|packages| packages.call_method0("ziglang"));
        // Without it there are other ways to a compiler.
        if let Ok(Some(path)) = found.and_then(|path| path.extract::<Option<PathBuf>>()) {
            ferrocca::cpu::add_ziglang(path);
        }
    });
}

/// Takes an array of somebody else as memory of `device`, in place.
pub(crate) fn wrap_foreign(device: &Device, foreign: Foreign) -> PyResult<AnyMemory> {
    fn wrap<T: Element>(device: &Device, foreign: Foreign) -> ferrocca::Result<AnyMemory> {
        let (len, keep) = (foreign.len(), Box::new(Borrowed::new(foreign.keep)));
        // SAFETY: the protocols promise that the array lies there and stays while `keep` is not dropped. Others may
        // write to it meanwhile: like a kernel, they are ordered by the program.
        unsafe { device.wrap_memory_with_owner::<T>(foreign.handle, len, Some(keep)) }.map(Memory::into_untyped)
    }
    let is_on_host = foreign.is_on_host();
    let wrapped = with_type!(foreign.element.dtype, T => Ok(wrap::<T>(device, foreign)))?;
    match wrapped {
        Err(error) if is_on_host && matches!(error.kind(), ErrorKind::Unsupported { .. }) => {
            Err(AccessError::new_err(format!(
                "the array lies on the host, and this device of mode `{}` cannot use it there: pass \
                 `device.malloc_from(array)`, which copies it to the device",
                device.mode()
            )))
        }
        Err(error) if is_on_host => {
            Err(error.while_doing("taking an array on the host in place (`device.malloc_from(array)` would copy it)"))
                .or_raise()
        }
        other => other.or_raise(),
    }
}

#[pymethods]
impl PyDevice {
    /// `Device()` opens what the environment variable `FERROCCA_DEVICE` says, else mode `CPU`; `Device("CPU", threads=2)`
    /// adds properties.
    #[new]
    #[pyo3(signature = (properties = None, **more))]
    fn new(py: Python<'_>, properties: Option<&Bound<'_, PyAny>>, more: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut named = None;
        let mut opened = match properties.filter(|given| !given.is_none()) {
            Some(properties) => device_props(properties)?,
            None if more.is_some_and(|more| more.contains("mode").unwrap_or(false)) => Props::new(),
            None => {
                let default = std::env::var("FERROCCA_DEVICE").unwrap_or_default();
                named = (!default.is_empty()).then(|| default.clone());
                let parsed = Props::parse_device(if default.is_empty() { "CPU" } else { &default });
                parsed.map_err(|error| of_environment(error, named.as_deref())).or_raise()?
            }
        };
        for (name, value) in props(more.map(|more| more.as_any()))?.iter() {
            opened.set(name, value.clone());
        }
        Self::open_named(py, opened, named.as_deref())
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

    /// Bytes that were allocated and not freed; wrapped arrays do not count, nor does what is kept for the next arrays.
    #[getter]
    fn memory_allocated(&self) -> u64 {
        free_released();
        self.device.memory_allocated().saturating_sub(self.primitives.kept().bytes())
    }

    /// The most that was ever allocated at once, what was kept included.
    #[getter]
    fn max_memory_allocated(&self) -> u64 {
        self.device.max_memory_allocated()
    }

    /// Bytes of memory that arrays have let go, and that is kept for the next ones: allocating asks the driver, and freeing
    /// waits for the device. At most as many as were in use at once. `free_pool()` gives them back.
    #[getter]
    fn pool_bytes(&self) -> u64 {
        free_released();
        self.primitives.kept().bytes()
    }

    /// Gives the memory back that arrays have let go; answers how many bytes. Before other programs or libraries need it: the
    /// device does it itself where its own memory runs out.
    fn free_pool(&self, py: Python<'_>) -> u64 {
        free_released();
        let kept = self.primitives.kept();
        py.detach(|| kept.free())
    }

    /// Memory of a shape (an integer or a sequence) and type. Its contents are unspecified. With `host` it is pinned
    /// memory of the host, which NumPy sees in place. It is given back to the device as soon as nobody uses it.
    #[pyo3(signature = (shape, dtype = None, *, host = false))]
    fn malloc(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        host: bool,
    ) -> PyResult<Py<PyMemory>> {
        let place = if host { Place::Pinned } else { Place::Own };
        self.of_shape(py, shape, dtype, place)
    }

    /// As `malloc`, for an array: kept for the next one when it is let go.
    fn _malloc_array(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyMemory>> {
        self.of_shape(py, shape, dtype, Place::Kept)
    }

    /// Memory with a copy of an array on the host or on this device, of its shape and type. It is given back to the device as
    /// soon as nobody uses it. With `constant` it never changes: it is read-only everywhere, and launches rely on the least and
    /// the greatest of its integers. The array lies on the host then.
    #[pyo3(signature = (source, *, constant = false))]
    fn malloc_from(&self, py: Python<'_>, source: &Bound<'_, PyAny>, constant: bool) -> PyResult<Py<PyMemory>> {
        if constant { self.constant_of(py, source) } else { self.copy_of(py, source, Place::Own) }
    }

    /// As `malloc_from`, for an array: kept for the next one when it is let go.
    fn _malloc_array_from(&self, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Py<PyMemory>> {
        self.copy_of(py, source, Place::Kept)
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
        self.build(py, Recipe::new(Source::File(path), name, properties))
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
        self.build(py, Recipe::new(Source::Text(source.to_owned()), name, properties))
    }

    /// A graph to be recorded: `with device.record() as g:`. Launches, copies and fills of this thread in the block are
    /// recorded instead of run, and `g.replay(n)` runs them n times. What would copy between memory and the host there, such
    /// as `to_host`, is refused.
    fn record(&self) -> PyGraph {
        PyGraph::new(self.device.clone())
    }

    /// Marks this point of the current stream. `later - earlier` of two events is the time between them in seconds.
    fn event(&self, py: Python<'_>) -> PyResult<PyEvent> {
        py.detach(|| self.device.tag_stream()).or_raise().map(PyEvent::new)
    }

    /// What the kernels of an OKL file become on this device: the text that its compiler would get. Nothing is compiled.
    #[pyo3(signature = (path, properties = None))]
    fn translate(&self, py: Python<'_>, path: PathBuf, properties: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let properties = props(properties)?;
        let compiled = py.detach(|| self.device.translate(&path, properties)).or_raise()?;
        warn(py, &compiled.warnings.to_string())?;
        Ok(compiled.text)
    }

    /// Times launches in a block: `with device.profile() as p:`, then `print(p)`.
    fn profile<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("ferrocca._profile")?.call_method1("Profile", (slf,))
    }

    /// Turns the timing of launches on or off, and forgets what was measured when it is turned on.
    fn _set_profiling(&self, on: bool) {
        if on {
            self.device.reset_profile();
        }
        self.device.set_profiling(on);
    }

    /// What was measured: for each kernel its name, launches, total, least and greatest time in seconds, bytes; and the table.
    fn _profile<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyDict>>, String)> {
        let profile = py.detach(|| self.device.profile()).or_raise()?;
        let kernels = profile.kernels.iter().map(|kernel| {
            let entry = PyDict::new(py);
            entry.set_item("name", &kernel.name)?;
            entry.set_item("count", kernel.count)?;
            entry.set_item("total_seconds", kernel.total_seconds)?;
            entry.set_item("mean_seconds", kernel.mean_seconds())?;
            entry.set_item("min_seconds", kernel.min_seconds)?;
            entry.set_item("max_seconds", kernel.max_seconds)?;
            entry.set_item("bytes", kernel.bytes)?;
            entry.set_item("gigabytes_per_second", kernel.gigabytes_per_second())?;
            Ok(entry)
        });
        Ok((kernels.collect::<PyResult<_>>()?, profile.to_string()))
    }

    /// As `finish`.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        self.finish(py)
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

/// What the kernels of an OKL file become in a mode, on a machine that need not have such a device.
#[pyfunction]
#[pyo3(signature = (mode, path, properties = None))]
pub(crate) fn translate(
    py: Python<'_>,
    mode: &str,
    path: PathBuf,
    properties: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let properties = props(properties)?;
    let compiled = py.detach(|| ferrocca::translate(mode, &path, properties)).or_raise()?;
    warn(py, &compiled.warnings.to_string())?;
    Ok(compiled.text)
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
