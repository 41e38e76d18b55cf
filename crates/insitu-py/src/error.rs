//! Errors of the library as Python exceptions.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(ferrocca, Error, PyException, "A failure of Ferrocca; the text says what and why.");

/// A library error as `ferrocca.Error`.
pub(crate) fn raise(error: ferrocca::Error) -> PyErr {
    Error::new_err(error.to_string())
}

/// Maps results of the library to Python's.
pub(crate) trait OrRaise<T> {
    /// The value, or `ferrocca.Error`.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for ferrocca::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(raise)
    }
}
