//! Errors of the library as Python exceptions, whose classes are Python's: `python/ferrocca/_errors.py`.
//!
//! Invariant: what a caller did wrong is one of these classes, by whichever path; a plain exception of Python's is raised
//! only where a protocol asks for it.

use ferrocca::ErrorKind;
use pyo3::exceptions::{PyBufferError, PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(ferrocca._errors, Error);
pyo3::import_exception!(ferrocca._errors, OutOfMemoryError);
pyo3::import_exception!(ferrocca._errors, WrongTypeError);
pyo3::import_exception!(ferrocca._errors, WrongValueError);
pyo3::import_exception!(ferrocca._errors, RangeError);
pyo3::import_exception!(ferrocca._errors, OutOfBoundsError);
pyo3::import_exception!(ferrocca._errors, DivisionError);
pyo3::import_exception!(ferrocca._errors, AccessError);
pyo3::import_exception!(ferrocca._errors, BuildError);
pyo3::import_exception!(ferrocca._errors, FileError);

/// A library error as the exception for its kind.
pub(crate) fn raise(error: ferrocca::Error) -> PyErr {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::OutOfMemory { .. } => OutOfMemoryError::new_err(text),
        ErrorKind::OutOfBounds { .. } => OutOfBoundsError::new_err(text),
        ErrorKind::Division { .. } => DivisionError::new_err(text),
        ErrorKind::Argument { .. } => WrongTypeError::new_err(text),
        ErrorKind::Props { .. } | ErrorKind::WrongDevice { .. } | ErrorKind::Invalid { .. } => {
            WrongValueError::new_err(text)
        }
        ErrorKind::Kernel { .. } | ErrorKind::Compiler { .. } => BuildError::new_err(text),
        ErrorKind::Io { .. } => FileError::new_err(text),
        _ => Error::new_err(text),
    }
}

/// `error` with its text after `place`, as a class of this package.
pub(crate) fn raise_at(py: Python<'_>, place: &str, error: PyErr) -> PyErr {
    let text = format!("{place}: {}", error.value(py));
    let worded = if error.is_instance_of::<PyTypeError>(py) {
        WrongTypeError::new_err(text)
    } else if error.is_instance_of::<PyValueError>(py) {
        WrongValueError::new_err(text)
    } else if error.is_instance_of::<PyOverflowError>(py) {
        RangeError::new_err(text)
    } else if error.is_instance_of::<PyBufferError>(py) {
        AccessError::new_err(text)
    } else if error.is_instance_of::<PyMemoryError>(py) {
        OutOfMemoryError::new_err(text)
    } else if error.is_instance_of::<PyIndexError>(py) {
        OutOfBoundsError::new_err(text)
    } else {
        Error::new_err(text)
    };
    worded.set_cause(py, Some(error));
    worded
}

/// Maps results of the library to Python's.
pub(crate) trait OrRaise<T> {
    /// The value, or an exception of the class for the error's kind.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for ferrocca::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(raise)
    }
}
