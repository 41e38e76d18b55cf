//! Errors of the library as Python exceptions, whose classes are Python's: `python/ferrocca/_errors.py`.
//!
//! Invariant: what a caller did wrong is one of these classes, by whichever path; a plain exception of Python's is raised
//! only where a protocol asks for it.

use crate::element::ElementFormat;
use ferrocca::ErrorKind;
use pyo3::exceptions::{PyBufferError, PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::CString;

pyo3::import_exception!(ferrocca._errors, Error);
pyo3::import_exception!(ferrocca._errors, OutOfMemoryError);
pyo3::import_exception!(ferrocca._errors, WrongTypeError);
pyo3::import_exception!(ferrocca._errors, WrongValueError);
pyo3::import_exception!(ferrocca._errors, RangeError);
pyo3::import_exception!(ferrocca._errors, OutOfBoundsError);
pyo3::import_exception!(ferrocca._errors, DivisionError);
pyo3::import_exception!(ferrocca._errors, AccessError);
pyo3::import_exception!(ferrocca._errors, BuildError);
pyo3::import_exception!(ferrocca._errors, FaultError);
pyo3::import_exception!(ferrocca._errors, FileError);
pyo3::import_exception!(ferrocca._errors, KernelWarning);

/// A library error as the exception for its kind.
pub(crate) fn raise(error: ferrocca::Error) -> PyErr {
    let text = error.to_string();
    match error.kind() {
        ErrorKind::OutOfMemory { .. } => OutOfMemoryError::new_err(text),
        ErrorKind::OutOfBounds { .. } => OutOfBoundsError::new_err(bad_index(&text).unwrap_or(text)),
        ErrorKind::Division { .. } => DivisionError::new_err(text),
        ErrorKind::Argument { .. } => WrongTypeError::new_err(text),
        ErrorKind::Props { .. } | ErrorKind::WrongDevice { .. } | ErrorKind::Invalid { .. } => {
            WrongValueError::new_err(text)
        }
        ErrorKind::Unavailable { mode, .. } if !is_mode(mode) => WrongValueError::new_err(text),
        ErrorKind::Kernel { .. } | ErrorKind::Compiler { .. } => BuildError::new_err(text),
        ErrorKind::Fault { .. } => FaultError::new_err(text),
        ErrorKind::Io { .. } => FileError::new_err(text),
        _ => Error::new_err(text),
    }
}

/// A library error of an allocation, whose size is then told in Python's words.
pub(crate) fn raise_allocating(error: ferrocca::Error, len: usize, element: &ElementFormat) -> PyErr {
    let ErrorKind::OutOfMemory { .. } = error.kind() else {
        return raise(error);
    };
    let bytes = len.saturating_mul(usize::from(element.bytes));
    let (size, unit) = match bytes as f64 {
        large @ 1e9.. => (large / 1e9, "GB"),
        large @ 1e6.. => (large / 1e6, "MB"),
        small => (small, "bytes"),
    };
    let size = (size * 10.0).round() / 10.0;
    let own = format!("allocating {len} elements of {} ({size} {unit})", element.name);
    // What is kept for arrays are bytes.
    let text = error.to_string().replacen(&format!("allocating {len} {}", element.dtype), &own, 1);
    OutOfMemoryError::new_err(text.replacen(&format!("allocating {bytes} u8"), &own, 1))
}

/// Axes of memory in the numbers of [`bad_index`].
const AXES: i64 = 64;

/// The greatest index that they tell.
const MOST: i64 = 1 << 40;

/// What a kernel of `ferrocca._array.indexing` tells by an access out of range of what it calls `indexed_`: which index of which
/// axis is out of range. Such kernels access the element `-1 - axis - 64 k`, where `k` is twice an index that is not
/// negative, and `-1 - 2 i` for a negative one.
fn bad_index(text: &str) -> Option<String> {
    let element = match text.split_once(" of `indexed_` is out of range") {
        Some((before, _)) => before.rsplit(' ').next()?,
        // A device that checks everything.
        None => text.split_once("error: `indexed_[")?.1.split_once("]` is out of bounds")?.0,
    };
    let element: i64 = element.parse().ok()?;
    let told = element.checked_add(1)?.checked_neg().filter(|&told| told >= 0)?;
    let (k, axis) = (told / AXES, told % AXES);
    let index = if k % 2 == 0 { k / 2 } else { -(k + 1) / 2 };
    let beyond = match index {
        MOST => " or more",
        _ if index == -MOST => " or less",
        _ => "",
    };
    Some(format!(
        "index {index}{beyond} is out of range for axis {axis} of the memory that an array of indices was used on"
    ))
}

/// Whether this build has a mode of that name.
fn is_mode(name: &str) -> bool {
    let modes = ferrocca::modes();
    let mut names = modes.iter().flat_map(|mode| mode.aliases.iter().copied().chain([mode.name]));
    names.any(|known| known.eq_ignore_ascii_case(name))
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

/// Issues a `ferrocca.KernelWarning` for each of the compiler's warnings, rendered as the command prints them, at the line of
/// the program that called this package.
/// # Errors
/// The warning itself, where the program's filters make errors of warnings.
pub(crate) fn warn(py: Python<'_>, rendered: &str) -> PyResult<()> {
    if rendered.is_empty() {
        return Ok(());
    }
    let category = py.get_type::<KernelWarning>();
    // A blank line stands between two findings, and in none.
    let mut findings = rendered.split("\n\n").map(str::trim_end).filter(|finding| !finding.is_empty());
    findings.try_for_each(|finding| warn_as(py, &category, finding))
}

/// Issues a warning of a category at the line of the program that called this package.
/// # Errors
/// As [`warn`].
pub(crate) fn warn_as(py: Python<'_>, category: &Bound<'_, PyAny>, text: &str) -> PyResult<()> {
    // A source may have a zero byte.
    let text = CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
    PyErr::warn(py, category, &text, 1 + own_frames(py))
}

/// Python's frames that are functions of this package, from the innermost one.
fn own_frames(py: Python<'_>) -> i32 {
    let is_own = |depth: i32| -> PyResult<bool> {
        let frame = py.import("sys")?.call_method1("_getframe", (depth,))?;
        let name: String = frame.getattr("f_globals")?.get_item("__name__")?.extract()?;
        Ok(name.starts_with("ferrocca."))
    };
    (0..).take_while(|&depth| is_own(depth).unwrap_or(false)).count() as i32
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
