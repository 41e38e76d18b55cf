//! Parameters that a hook changes while the solver runs: `frame.set(nu=0.02)`.
//!
//! A change is checked when it is made, against what the solver declared; the solver asks for it after the hook's `step`.
//! `run.parameters` and `frame.parameters` are one mapping, in which it is seen at once.

use crate::error::{Error, RangeError, WrongTypeError, WrongValueError};
use ferrocca::insitu::{Change, Steerable};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMappingProxy};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The parameters of a run, and what the step under way has changed.
pub(crate) struct Steering {
    parameters: Py<PyDict>,
    steerable: Vec<Steerable>,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    /// The step whose hook runs.
    step: Option<u64>,
    changes: Vec<Change>,
}

/// The values that a parameter takes; what any takes where `value` is no finite number.
fn range_text(known: &Steerable, value: f64) -> String {
    match (known.least, known.greatest) {
        _ if !value.is_finite() => "a finite number".to_owned(),
        (least, f64::MAX) if least == f64::MIN_POSITIVE => "greater than 0".to_owned(),
        (least, f64::MAX) => format!("at least {}", told(least)),
        (f64::MIN, greatest) => format!("at most {}", told(greatest)),
        (least, greatest) => format!("from {} to {}", told(least), told(greatest)),
    }
}

/// A number as Python writes it.
fn told(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { value.to_string() }
}

impl Steering {
    pub(crate) fn new(parameters: Py<PyDict>, steerable: Vec<Steerable>) -> Arc<Self> {
        Arc::new(Self { parameters, steerable, pending: Mutex::default() })
    }

    /// The parameters as they are now.
    pub(crate) fn parameters(&self, py: Python<'_>) -> Py<PyMappingProxy> {
        PyMappingProxy::new(py, self.parameters.bind(py).as_mapping()).unbind()
    }

    /// The hook of that step begins.
    pub(crate) fn begin(&self, step: u64) {
        *self.lock() = Pending { step: Some(step), changes: Vec::new() };
    }

    /// It has returned.
    pub(crate) fn end(&self) {
        self.lock().step = None;
    }

    /// What it has changed, once.
    pub(crate) fn take(&self) -> Vec<Change> {
        std::mem::take(&mut self.lock().changes)
    }

    /// Changes parameters: all of them, or with an error none.
    /// # Errors
    /// `ValueError` for a name that the solver does not let be changed, `OverflowError` for a value out of its range,
    /// `TypeError` for what is no number, `ferrocca.Error` when the step is over.
    pub(crate) fn set(&self, step: u64, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let changes = values.iter().map(|(name, value)| self.check(&name.extract::<String>()?, &value));
        let changes = changes.collect::<PyResult<Vec<Change>>>()?;
        let mut pending = self.lock();
        if pending.step != Some(step) {
            let text = format!("this frame's step, {step}, is over: set parameters of the frame that `step` was given");
            return Err(Error::new_err(text));
        }
        pending.changes.extend(changes.iter().cloned());
        drop(pending);
        let parameters = self.parameters.bind(values.py());
        changes.iter().try_for_each(|change| parameters.set_item(&change.name, change.value))
    }

    fn check(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Change> {
        let Some(known) = self.steerable.iter().find(|known| known.name == name) else {
            let names: Vec<&str> = self.steerable.iter().map(|known| &*known.name).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            return Err(WrongValueError::new_err(format!(
                "the solver does not let `{name}` be changed while it runs; it does: {names}"
            )));
        };
        let Ok(value) = value.extract::<f64>() else {
            return Err(WrongTypeError::new_err(format!("{name} is a number, not {}", value.get_type().name()?)));
        };
        if !(known.least..=known.greatest).contains(&value) {
            let expected = range_text(known, value);
            return Err(RangeError::new_err(format!("{name} must be {expected}, not {}", told(value))));
        }
        Ok(Change { name: name.to_owned(), value })
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
