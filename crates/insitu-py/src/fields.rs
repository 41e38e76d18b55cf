//! The fields of a frame or a batch, as a script reaches them.

use crate::array::PyArray;
use crate::field::PyField;
use crate::step::Step;
use crate::stream::stream_number;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyMappingProxy, PyString};
use smallvec::SmallVec;
use std::sync::Arc;

/// Attributes of frames and batches; a field of such a name is in `fields` alone.
const OF_THE_CLASS: [&str; 8] = ["step", "time", "steps", "times", "fields", "uses_stream", "set", "parameters"];

/// The fields of a frame, in the solver's order; frames of the same buffers share one.
pub(crate) struct FieldList {
    list: SmallVec<[Py<PyField>; 4]>,
    by_name: PyOnceLock<Py<PyMappingProxy>>,
}

impl FieldList {
    pub(crate) fn new(list: SmallVec<[Py<PyField>; 4]>) -> Self {
        Self { list, by_name: PyOnceLock::new() }
    }

    /// In the solver's order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Py<PyField>> {
        self.list.iter()
    }

    /// Whether these are its fields.
    pub(crate) fn is(&self, list: &[Py<PyField>]) -> bool {
        self.list.len() == list.len() && self.list.iter().zip(list).all(|(own, other)| own.is(other))
    }
}

/// Fields, and where their use is noted.
pub(crate) struct Fields {
    of: Arc<FieldList>,
    used: Arc<Step>,
}

impl Fields {
    /// `used` is where the use of the fields is noted.
    pub(crate) fn new(of: Arc<FieldList>, used: Arc<Step>) -> Self {
        Self { of, used }
    }

    /// The list of them.
    pub(crate) fn list(&self) -> Arc<FieldList> {
        self.of.clone()
    }

    /// The fields by name.
    pub(crate) fn by_name(&self, py: Python<'_>) -> PyResult<Py<PyMappingProxy>> {
        let make = || {
            let fields = PyDict::new(py);
            for field in &self.of.list {
                fields.set_item(field.bind(py).getattr("name")?, field)?;
            }
            Ok::<_, PyErr>(PyMappingProxy::new(py, fields.as_mapping()).unbind())
        };
        self.of.by_name.get_or_try_init(py, make).map(|fields| fields.clone_ref(py))
    }

    /// The attribute of that name of `whole`, which has the fields: one of its class, else a field. For `__getattribute__`:
    /// `__getattr__` is called when Python has made an exception, which takes as long as all the rest of a hand-over.
    /// # Errors
    /// `AttributeError`, which Python replaces by that of [`missing`](Self::missing).
    pub(crate) fn attribute<'py>(
        &self,
        whole: &Bound<'py, PyAny>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, text) = (whole.py(), name.to_str()?);
        let field = self.of.list.iter().find(|field| field.get().is_named(text));
        if let Some(field) = field.filter(|_| !OF_THE_CLASS.contains(&text)) {
            return Ok(field.bind(py).clone().into_any());
        }
        // SAFETY: both objects are live; the answer is a new reference, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyObject_GenericGetAttr(whole.as_ptr(), name.as_ptr())) }
    }

    /// The error that names the fields, where `whole` has no attribute of that name.
    pub(crate) fn missing(&self, py: Python<'_>, name: &str, whole: &str) -> PyErr {
        let known = self.names(py).unwrap_or_default().join(", ");
        PyAttributeError::new_err(format!("this {whole} has no field `{name}`; its fields: {known}"))
    }

    /// The names, in the solver's order.
    pub(crate) fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.of.list.iter().map(|field| field.bind(py).getattr("name").map(|name| name.to_string())).collect()
    }

    /// Puts a stream that the hook queues work on behind the work that made the fields, and the solver behind it.
    pub(crate) fn uses_stream(&self, py: Python<'_>, stream: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = stream_number(stream)?;
        for field in &self.of.list {
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
