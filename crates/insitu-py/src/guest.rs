//! CuPy on the solver's own stream while a hook runs.
//!
//! CuPy queues on CUDA's legacy default stream unless told otherwise, and the driver keeps that one in order with every
//! other stream by itself: a wait on the GPU before the hook's first kernel, and another before the solver's next. On the
//! solver's stream there is nothing to wait for. A script that has chosen a stream of its own keeps it.

use crate::view::View;
use ferrocca::insitu::PER_THREAD_STREAM;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The number of a stream, behind the protocol by which CuPy takes one.
#[pyclass(frozen, module = "ferrocca", name = "SolverStream")]
struct SolverStream(u64);

#[pymethods]
impl SolverStream {
    fn __cuda_stream__(&self) -> (u32, u64) {
        (0, self.0)
    }
}

/// What CuPy's streams are asked for, found once.
struct CuPy {
    /// `cupy.cuda.get_current_stream`
    current: Py<PyAny>,
    /// `cupy.cuda.Stream.null`
    null: Py<PyAny>,
    /// The solver's stream as one of CuPy's.
    own: Py<PyAny>,
    handle: u64,
}

/// Lends a solver's stream to CuPy, call by call.
#[derive(Default)]
pub(crate) struct Guest {
    cupy: Option<CuPy>,
    is_inside: bool,
}

impl Guest {
    /// Before the hook: CuPy's current stream becomes that of `view`, where CuPy is loaded and has the default one.
    pub(crate) fn enter(&mut self, py: Python<'_>, view: &View) -> PyResult<()> {
        let handle = view.stream();
        if handle <= PER_THREAD_STREAM {
            return Ok(());
        }
        if self.cupy.as_ref().is_none_or(|cupy| cupy.handle != handle) {
            self.cupy = CuPy::find(py, handle)?;
        }
        let Some(cupy) = &self.cupy else { return Ok(()) };
        if cupy.current.call1(py, (view.device.1,))?.is(&cupy.null) {
            cupy.own.call_method0(py, pyo3::intern!(py, "use"))?;
            self.is_inside = true;
        }
        Ok(())
    }

    /// After the hook: CuPy has its default stream again, unless the hook chose another one.
    pub(crate) fn leave(&mut self, py: Python<'_>, view: &View) -> PyResult<()> {
        if !std::mem::take(&mut self.is_inside) {
            return Ok(());
        }
        let Some(cupy) = &self.cupy else { return Ok(()) };
        if cupy.current.call1(py, (view.device.1,))?.is(&cupy.own) {
            cupy.null.call_method0(py, pyo3::intern!(py, "use"))?;
        }
        Ok(())
    }
}

impl CuPy {
    /// `None` where nobody has imported CuPy.
    fn find(py: Python<'_>, handle: u64) -> PyResult<Option<Self>> {
        let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
        let Some(cuda) = modules.get_item("cupy.cuda")? else { return Ok(None) };
        let stream = cuda.getattr("Stream")?;
        let own = if stream.hasattr("from_external")? {
            stream.call_method1("from_external", (SolverStream(handle),))?
        } else {
            cuda.getattr("ExternalStream")?.call1((handle,))?
        };
        let (current, null) = (cuda.getattr("get_current_stream")?.unbind(), stream.getattr("null")?.unbind());
        Ok(Some(Self { current, null, own: own.unbind(), handle }))
    }
}
