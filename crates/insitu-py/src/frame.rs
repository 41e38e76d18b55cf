//! `Frame` and `Run` as a script sees them, and what it may answer.

use crate::error::WrongTypeError;
use crate::fields::Fields;
use crate::steering::Steering;
use ferrocca::insitu::abi::{ParameterAbi, RunAbi, Text};
use ferrocca::insitu::{Control, Parameter, Run};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyMappingProxy, PyString};
use std::sync::Arc;

/// The type of `ferrocca.STOP`.
#[pyclass(frozen, module = "ferrocca", name = "Stop")]
pub(crate) struct PyStop;

#[pymethods]
impl PyStop {
    fn __repr__(&self) -> &'static str {
        "ferrocca.STOP"
    }
}

/// `ferrocca.STOP`: the one object that ends a run.
pub(crate) fn stop(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static STOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    STOP.get_or_try_init(py, || Ok(Py::new(py, PyStop)?.into_any())).map(|stop| stop.clone_ref(py))
}

/// What a `step` answered.
/// # Errors
/// `TypeError` for anything but `ferrocca.STOP` and `None`.
pub(crate) fn control_of(answer: &Bound<'_, PyAny>) -> PyResult<Control> {
    if answer.is_none() {
        return Ok(Control::Continue);
    }
    if answer.is(&stop(answer.py())?) {
        return Ok(Control::Stop);
    }
    let text = format!("`step` returned {}: ferrocca.STOP or None is expected", answer.repr()?);
    Err(WrongTypeError::new_err(text))
}

/// One moment of a run.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Frame")]
pub(crate) struct PyFrame {
    step: u64,
    time: f64,
    fields: Fields,
    steering: Arc<Steering>,
}

impl PyFrame {
    pub(crate) fn new(step: u64, time: f64, fields: Fields, steering: Arc<Steering>) -> Self {
        Self { step, time, fields, steering }
    }
}

#[pymethods]
impl PyFrame {
    /// Number of steps done.
    #[getter]
    fn step(&self) -> u64 {
        self.step
    }

    /// Time reached, in the solver's unit.
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    /// The fields by name.
    #[getter]
    fn fields(&self, py: Python<'_>) -> PyResult<Py<PyMappingProxy>> {
        self.fields.by_name(py)
    }

    /// The run's parameters by name, as they are now; `run.parameters` is the same mapping.
    #[getter]
    fn parameters(&self, py: Python<'_>) -> Py<PyMappingProxy> {
        self.steering.parameters(py)
    }

    /// Changes parameters of the solver from the next step on: `frame.set(nu=0.02)`. With an error none is changed. The
    /// solver says which it lets be changed, and to which values; Burgers' are `nu`, `dt` and `final_time`.
    #[pyo3(signature = (**parameters))]
    fn set(&self, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        parameters.map_or(Ok(()), |parameters| self.steering.set(self.step, parameters))
    }

    /// Says that this step queues work on a stream (an object of CuPy, PyTorch, Numba or cuda.core, or a native handle)
    /// that nobody else has told: what is queued there from now on comes after the solver's step, and the next step
    /// after what is queued there when the hook returns. On the host there is nothing to order.
    fn uses_stream(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<()> {
        self.fields.uses_stream(py, stream)
    }

    /// `frame.u` is the field named `u`.
    fn __getattribute__<'py>(slf: &Bound<'py, Self>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().fields.attribute(slf, name)
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        Err(self.fields.missing(py, name, "frame"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = self.fields.names(py)?.iter().map(|name| format!(", {name}")).collect::<String>();
        Ok(format!("ferrocca.Frame(step {}, time {}{names})", self.step, self.time))
    }
}

/// A run of a solver.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Run")]
pub(crate) struct PyRun {
    name: String,
    output_dir: String,
    mode: String,
    device: String,
    steering: Arc<Steering>,
}

impl PyRun {
    /// # Safety
    /// `abi` belongs to the call under way.
    pub(crate) unsafe fn of_program(py: Python<'_>, abi: &RunAbi) -> PyResult<Self> {
        // SAFETY: texts and parameters are borrowed for the call under way.
        let text = |text: Text| unsafe { text.read() }.into_owned();
        let list = match abi.parameter_count {
            0 => &[][..],
            // SAFETY: as above.
            count => unsafe { std::slice::from_raw_parts(abi.parameters, count) },
        };
        let mut run = Run::new(text(abi.name)).output_dir(text(abi.output_dir));
        run.mode = text(abi.mode);
        run.device = text(abi.device);
        for ParameterAbi { name, kind, steerable, int, float, text: value, least, greatest } in list {
            let name = text(*name);
            run = match kind {
                0 => run.parameter(name, *int),
                1 if *steerable != 0 => run.steerable(name, *float, *least..=*greatest),
                1 => run.parameter(name, *float),
                _ => run.parameter(name, text(*value)),
            };
        }
        Self::of_library(py, run)
    }

    pub(crate) fn of_library(py: Python<'_>, run: Run) -> PyResult<Self> {
        let Run { name, parameters: list, steerable, output_dir, mode, device } = run;
        let parameters = PyDict::new(py);
        for (name, value) in list {
            match value {
                Parameter::Int(value) => parameters.set_item(name, value)?,
                Parameter::Float(value) => parameters.set_item(name, value)?,
                Parameter::Text(value) => parameters.set_item(name, value)?,
            }
        }
        let here = output_dir.as_os_str().is_empty();
        let output_dir = if here { ".".to_owned() } else { output_dir.to_string_lossy().into_owned() };
        let steering = Steering::new(parameters.unbind(), steerable);
        Ok(Self { name, output_dir, mode, device, steering })
    }

    /// What changes its parameters.
    pub(crate) fn steering(&self) -> &Arc<Steering> {
        &self.steering
    }
}

#[pymethods]
impl PyRun {
    /// Name of the solver or the case.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Directory for results.
    #[getter]
    fn output_dir(&self) -> &str {
        &self.output_dir
    }

    /// Mode of the device, such as `CPU`.
    #[getter]
    fn mode(&self) -> &str {
        &self.mode
    }

    /// Name of the device.
    #[getter]
    fn device(&self) -> &str {
        &self.device
    }

    /// The solver's parameters by name, as they are now.
    #[getter]
    fn parameters(&self, py: Python<'_>) -> Py<PyMappingProxy> {
        self.steering.parameters(py)
    }

    /// `run.points` is the parameter named `points`.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let parameters = self.parameters(py).into_bound(py);
        if parameters.as_any().contains(name)? {
            return parameters.as_any().get_item(name);
        }
        let known = parameters.keys()?.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(", ");
        Err(PyAttributeError::new_err(format!("this run has no parameter `{name}`; its parameters: {known}")))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let parameters = self.parameters(py).into_bound(py).repr()?;
        Ok(format!("ferrocca.Run({} on {} ({}), {parameters})", self.name, self.mode, self.device))
    }
}
