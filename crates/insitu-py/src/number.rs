//! Complex numbers that Python gives: its own, those of array libraries, and real ones.
//!
//! Invariant: no imaginary part is dropped. A complex number of NumPy's converts itself to a real one, with no more than a
//! warning; where a real one is expected, it is refused here.

use crate::element::ElementFormat;
use crate::error::{WrongTypeError, WrongValueError};
use ferrocca::Complex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyComplex, PyComplexMethods, PyFloat, PyInt};
use std::ops::RangeInclusive;

/// Whether an object is a complex number, or an array of some.
pub(crate) fn is_complex(object: &Bound<'_, PyAny>) -> bool {
    if object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyInt>() {
        return false;
    }
    object.is_instance_of::<PyComplex>()
        || object.getattr(intern!(object.py(), "dtype")).is_ok_and(|dtype| is_complex_dtype(&dtype))
}

/// Whether a type of an array library is one of complex numbers.
pub(crate) fn is_complex_dtype(dtype: &Bound<'_, PyAny>) -> bool {
    // NumPy's letter, which others have too; what has none is known by its name.
    let kind = dtype.getattr(intern!(dtype.py(), "kind"));
    match kind.ok().and_then(|kind| kind.extract::<PyBackedStr>().ok()) {
        Some(kind) => &*kind == "c",
        None => ElementFormat::parse(dtype).is_ok_and(ElementFormat::is_complex),
    }
}

/// # Errors
/// `TypeError` for a complex number, where a real one is expected.
pub(crate) fn refuse_complex(object: &Bound<'_, PyAny>, expected: &str) -> PyResult<()> {
    if is_complex(object) {
        return Err(WrongTypeError::new_err(format!(
            "{expected} takes a real number, not a complex one: pass a part of it, or its magnitude"
        )));
    }
    Ok(())
}

/// The whole number that an object is, for what is named `name`.
/// # Errors
/// `TypeError` for what is no integer, `ValueError` for one that is not within the range.
pub(crate) fn whole(name: &str, object: &Bound<'_, PyAny>, range: RangeInclusive<u64>) -> PyResult<u64> {
    let Ok(index) = object.call_method0(intern!(object.py(), "__index__")) else {
        let remedy = if object.is_instance_of::<PyFloat>() { ": pass `int(…)`" } else { "" };
        return Err(WrongTypeError::new_err(format!(
            "{name} is an integer, not {} (`{}`){remedy}",
            object.repr()?,
            object.get_type().name()?
        )));
    };
    index.extract::<u64>().ok().filter(|value| range.contains(value)).ok_or_else(|| {
        WrongValueError::new_err(match (*range.start(), *range.end()) {
            (least, u64::MAX) if index.lt(least).unwrap_or(false) => {
                format!("{name} must be at least {least}, not {index}")
            }
            (least, greatest) => format!("{name} must be between {least} and {greatest}, not {index}"),
        })
    })
}

/// The number that an object is; a real one has an imaginary part of 0.
/// # Errors
/// `TypeError` for what is no number, what its own conversion raises.
pub(crate) fn complex(object: &Bound<'_, PyAny>) -> PyResult<Complex<f64>> {
    let py = object.py();
    if let Ok(number) = object.cast::<PyComplex>() {
        return Ok(Complex::new(number.real(), number.imag()));
    }
    let is_array = object.getattr(intern!(py, "shape")).is_ok_and(|shape| shape.len().is_ok_and(|axes| axes > 0));
    if !is_array && object.hasattr(intern!(py, "__complex__"))? {
        let number = object.call_method0(intern!(py, "__complex__"))?;
        if let Ok(number) = number.cast::<PyComplex>() {
            return Ok(Complex::new(number.real(), number.imag()));
        }
    }
    if !is_array && (object.hasattr(intern!(py, "__float__"))? || object.hasattr(intern!(py, "__index__"))?) {
        return Ok(Complex::new(object.extract()?, 0.0));
    }
    let what = match is_array {
        true => format!("an array of shape {}", object.getattr(intern!(py, "shape"))?),
        false => format!("`{}`", object.get_type().name()?),
    };
    Err(WrongTypeError::new_err(format!("a complex number is expected, not {what}")))
}
