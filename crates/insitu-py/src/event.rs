//! `ferrocca.Event`: a point in a stream, for waiting and for times.

use crate::error::OrRaise;
use crate::interrupt;
use crate::owner::free_released;
use ferrocca::Tag;
use ferrocca::backend::poll_until;
use pyo3::prelude::*;

/// A point in a stream: `start = device.event(); …; seconds = device.event() - start`.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Event")]
pub(crate) struct PyEvent {
    tag: Tag,
}

impl PyEvent {
    pub(crate) fn new(tag: Tag) -> Self {
        Self { tag }
    }
}

#[pymethods]
impl PyEvent {
    /// Whether the stream has reached it; nothing waits.
    #[getter]
    fn is_reached(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| self.tag.is_reached()).or_raise()
    }

    /// Waits on the host until the stream has reached it. Ctrl-C ends the wait.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        interrupt::wait(py, |limit| poll_until(limit, || self.tag.is_reached()))?;
        py.detach(|| self.tag.wait()).or_raise()?;
        free_released();
        Ok(())
    }

    /// Seconds from `earlier` to this event, on the device's own clock where it has one; waits for both.
    fn __sub__(&self, py: Python<'_>, earlier: &Bound<'_, Self>) -> PyResult<f64> {
        let earlier = &earlier.get().tag;
        py.detach(|| self.tag.seconds_since(earlier)).or_raise()
    }

    fn __repr__(&self) -> String {
        format!("ferrocca.Event({:?})", self.tag)
    }
}
