//! What every call of an `ElementwiseKernel` runs: the statements for the types of its arguments, found again.

use crate::element::ElementFormat;
use crate::memory::{PyMemory, parse_shape};
use crate::statements::PyStatements;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::sync::{Mutex, PoisonError};

/// What of an argument decides which statements are meant.
enum Kind {
    Memory(&'static ElementFormat),
    Other(Py<PyType>),
}

impl Kind {
    fn of(object: &Bound<'_, PyAny>) -> Self {
        match object.cast::<PyMemory>() {
            Ok(memory) => Self::Memory(memory.as_super().get().view.element),
            Err(_) => Self::Other(object.get_type().unbind()),
        }
    }

    fn is_of(&self, object: &Bound<'_, PyAny>) -> bool {
        match (self, object.cast::<PyMemory>()) {
            (Self::Memory(element), Ok(memory)) => std::ptr::eq(*element, memory.as_super().get().view.element),
            (Self::Other(class), Err(_)) => object.get_type().is(class),
            _ => false,
        }
    }
}

/// The statements for some kinds of arguments.
struct Plan {
    has_size: bool,
    kinds: Vec<Kind>,
    statements: Py<PyStatements>,
}

/// The base of `ElementwiseKernel`, which makes plans by its method `_plan(arguments, size)`: the arguments as memory and Python's
/// numbers, the statements, and whether these are meant whenever arguments have the same types.
#[pyclass(frozen, subclass, module = "ferrocca._native", name = "Planned")]
pub(crate) struct PyPlanned {
    plans: Mutex<Vec<Plan>>,
}

#[pymethods]
impl PyPlanned {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self { plans: Mutex::default() }
    }

    #[pyo3(signature = (*arguments, size = None, out = None))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        arguments: Bound<'py, PyTuple>,
        size: Option<Bound<'py, PyAny>>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut arguments = arguments;
        if let Some(out) = out {
            let all = arguments.iter();
            arguments = match out.cast::<PyTuple>() {
                Ok(outs) => PyTuple::new(py, all.chain(outs).collect::<Vec<_>>())?,
                Err(_) => PyTuple::new(py, all.chain([out]).collect::<Vec<_>>())?,
            };
        }
        let statements = match slf.get().find(py, &arguments, size.is_some()) {
            Some(statements) => statements,
            None => {
                let kinds = arguments.iter().map(|object| Kind::of(&object)).collect();
                let plan = slf.call_method1(intern!(py, "_plan"), (&arguments, &size))?;
                let (converted, statements, is_for_all): (Bound<'py, PyTuple>, Py<PyStatements>, bool) =
                    plan.extract()?;
                if is_for_all {
                    slf.get().keep(Plan { has_size: size.is_some(), kinds, statements: statements.clone_ref(py) });
                }
                arguments = converted;
                statements
            }
        };
        let shape = size.as_ref().map(parse_shape).transpose()?;
        statements.get().__call__(py, &arguments, shape)
    }
}

impl PyPlanned {
    fn find(&self, py: Python<'_>, arguments: &Bound<'_, PyTuple>, has_size: bool) -> Option<Py<PyStatements>> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |plan: &&Plan| {
            plan.has_size == has_size
                && plan.kinds.len() == arguments.len()
                && plan.kinds.iter().zip(arguments).all(|(kind, object)| kind.is_of(&object))
        };
        plans.iter().find(fits).map(|plan| plan.statements.clone_ref(py))
    }

    fn keep(&self, plan: Plan) {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).push(plan);
    }
}
