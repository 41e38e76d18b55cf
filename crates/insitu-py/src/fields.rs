//! The fields of a frame or a batch, as a script reaches them.

use crate::array::PyArray;
use crate::field::PyField;
use crate::step::Step;
use crate::stream::stream_number;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyMappingProxy};
use std::sync::Arc;

/// Fields, and where their use is noted.
pub(crate) struct Fields {
    list: Vec<Py<PyField>>,
    used: Arc<Step>,
    by_name: PyOnceLock<Py<PyMappingProxy>>,
}

impl Fields {
    /// `used` is where the use of the fields is noted.
    pub(crate) fn new(list: Vec<Py<PyField>>, used: Arc<Step>) -> Self {
        Self { list, used, by_name: PyOnceLock::new() }
    }

    /// The fields by name.
    pub(crate) fn by_name(&self, py: Python<'_>) -> PyResult<Py<PyMappingProxy>> {
        let make = || {
            let fields = PyDict::new(py);
            for field in &self.list {
                fields.set_item(field.bind(py).getattr("name")?, field)?;
            }
            Ok::<_, PyErr>(PyMappingProxy::new(py, fields.as_mapping()).unbind())
        };
        self.by_name.get_or_try_init(py, make).map(|fields| fields.clone_ref(py))
    }

    /// The field of that name; `whole` is what has the fields, for the error.
    /// # Errors
    /// `AttributeError` that names the fields.
    pub(crate) fn get(&self, py: Python<'_>, name: &str, whole: &str) -> PyResult<Py<PyField>> {
        let field = self.list.iter().find(|field| field.get().is_named(name));
        field.map(|field| field.clone_ref(py)).ok_or_else(|| {
            let known = self.names(py).unwrap_or_default().join(", ");
            PyAttributeError::new_err(format!("this {whole} has no field `{name}`; its fields: {known}"))
        })
    }

    /// The names, in the solver's order.
    pub(crate) fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.list.iter().map(|field| field.bind(py).getattr("name").map(|name| name.to_string())).collect()
    }

    /// Puts a stream that the hook queues work on behind the work that made the fields, and the solver behind it.
    pub(crate) fn uses_stream(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = stream_number(stream)?;
        for field in &self.list {
            let view = &field.bind(py).cast::<PyArray>()?.get().view;
            if view.is_on_cuda() {
                // SAFETY: the stream object is borrowed for the call; for a bare number the script vouches.
                unsafe { view.hand_over(py, number)? };
            }
        }
        self.used.uses(number, stream);
        Ok(())
    }
}
