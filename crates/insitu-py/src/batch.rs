//! `Batch` as a script's `observe` sees it.

use crate::error::WrongTypeError;
use crate::fields::Fields;
use crate::frame;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyMappingProxy, PyString, PyTuple};

/// Why a hook cannot both steer and observe.
pub(crate) const BOTH: &str = "a hook has `step(frame)` or `observe(batch)`, not both: `step` is called before the solver goes on, and may \
     write fields and end the run; `observe` gets the same steps later, many at a time, and only looks";

/// Many moments of a run.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Batch")]
pub(crate) struct PyBatch {
    steps: Vec<u64>,
    times: Vec<f64>,
    fields: Fields,
    step_numbers: PyOnceLock<Py<PyTuple>>,
    time_numbers: PyOnceLock<Py<PyTuple>>,
}

impl PyBatch {
    /// As many times as steps; the first axis of every field counts them.
    pub(crate) fn new(steps: &[u64], times: &[f64], fields: Fields) -> Self {
        let (step_numbers, time_numbers) = (PyOnceLock::new(), PyOnceLock::new());
        Self { steps: steps.into(), times: times.into(), fields, step_numbers, time_numbers }
    }
}

/// Checks what an `observe` answered.
/// # Errors
/// `TypeError` for anything but `None`.
pub(crate) fn nothing(answer: &Bound<'_, PyAny>) -> PyResult<()> {
    if answer.is_none() {
        return Ok(());
    }
    if answer.is(&frame::stop(answer.py())?) {
        return Err(WrongTypeError::new_err(
            "`observe` returned ferrocca.STOP, but the run has already gone on: use `step(frame)` to end a run",
        ));
    }
    Err(WrongTypeError::new_err(format!("`observe` returned {}: None is expected", answer.repr()?)))
}

#[pymethods]
impl PyBatch {
    /// Number of steps done, for each moment.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let made = self.step_numbers.get_or_try_init(py, || PyTuple::new(py, &self.steps).map(Bound::unbind));
        made.map(|steps| steps.clone_ref(py))
    }

    /// Time reached, in the solver's unit, for each moment.
    #[getter]
    fn times(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let made = self.time_numbers.get_or_try_init(py, || PyTuple::new(py, &self.times).map(Bound::unbind));
        made.map(|times| times.clone_ref(py))
    }

    /// The fields by name; the first axis counts the moments.
    #[getter]
    fn fields(&self, py: Python<'_>) -> PyResult<Py<PyMappingProxy>> {
        self.fields.by_name(py)
    }

    /// Says that this call queues work on a stream (an object of CuPy, PyTorch, Numba or cuda.core, or a native handle)
    /// that nobody else has told: what is queued there from now on comes after the steps of the batch, and the solver
    /// overwrites the batch after what is queued there when the hook returns. On the host there is nothing to order.
    fn uses_stream(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<()> {
        self.fields.uses_stream(py, stream)
    }

    /// Number of moments.
    fn __len__(&self) -> usize {
        self.steps.len()
    }

    /// `batch.u` is the field named `u`.
    fn __getattribute__<'py>(slf: &Bound<'py, Self>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().fields.attribute(slf, name)
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        Err(self.fields.missing(py, name, "batch"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let moments = match (self.steps.first(), self.steps.last()) {
            (Some(first), Some(last)) => format!("{} steps, {first} to {last}", self.steps.len()),
            _ => "0 steps".to_owned(),
        };
        let names = self.fields.names(py)?.iter().map(|name| format!(", {name}")).collect::<String>();
        Ok(format!("ferrocca.Batch({moments}{names})"))
    }
}
