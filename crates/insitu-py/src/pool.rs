//! `ferrocca.MemoryPool`: many small memories out of few allocations.

use crate::element::ElementFormat;
use crate::error::OrRaise;
use crate::memory::{PyMemory, count, parse_shape, with_type};
use crate::owner::free_released;
use ferrocca::{Memory, MemoryPool};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A pool of a device's memory. A reservation is `Memory` like any other; it, and every array over it, keeps its place
/// in the pool, also when the pool itself is gone.
#[pyclass(frozen, weakref, module = "ferrocca", name = "MemoryPool")]
pub(crate) struct PyPool {
    pool: MemoryPool,
}

impl PyPool {
    pub(crate) fn new(pool: MemoryPool) -> Self {
        Self { pool }
    }
}

#[pymethods]
impl PyPool {
    /// Memory of a shape (an integer or a sequence) and type, `float64` where none is given. Its contents are
    /// unspecified.
    #[pyo3(signature = (shape, dtype = None))]
    fn reserve(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyMemory>> {
        free_released();
        let shape = parse_shape(shape)?;
        let element = ElementFormat::parse_or_f64(dtype)?;
        let len = count(&shape, element)?;
        let memory = py.detach(
            || with_type!(element.dtype, T => self.pool.reserve::<T>(len).map(Memory::into_untyped).or_raise()),
        )?;
        PyMemory::new(py, memory, element, &shape, false)
    }

    /// How it is used: `chunks`, `bytes`, `reserved_bytes`, `reservations`.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        free_released();
        let (stats, known) = (PyDict::new(py), self.pool.stats());
        stats.set_item("chunks", known.chunks)?;
        stats.set_item("bytes", known.bytes)?;
        stats.set_item("reserved_bytes", known.reserved_bytes)?;
        stats.set_item("reservations", known.reservations)?;
        Ok(stats)
    }

    fn __repr__(&self) -> String {
        let known = self.pool.stats();
        format!(
            "ferrocca.MemoryPool({} of {} bytes reserved by {})",
            known.reserved_bytes, known.bytes, known.reservations
        )
    }
}
