//! Properties as Python writes them: a string in either grammar, a dictionary, or nothing.

use crate::error::{OrRaise, WrongTypeError};
use ferrocca::{ErrorKind, Props, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use std::collections::BTreeMap;

/// The properties in `object`.
/// # Errors
/// `ferrocca.Error` for text that does not parse, `TypeError` for values of a type that properties do not have.
pub(crate) fn props(object: Option<&Bound<'_, PyAny>>) -> PyResult<Props> {
    let Some(object) = object.filter(|object| !object.is_none()) else {
        return Ok(Props::new());
    };
    if let Ok(text) = object.cast::<PyString>() {
        return Props::parse(&text.to_cow()?).or_raise();
    }
    let Ok(mapping) = object.cast::<PyMapping>() else {
        return Err(WrongTypeError::new_err(format!("properties are a string or a dictionary, not {}", kind(object)?)));
    };
    let mut props = Props::new();
    for (name, value) in entries(mapping, 1)? {
        props.set(name, value);
    }
    Ok(props)
}

/// The properties of a device in `object`: in a string, a first word that stands alone is the mode.
/// # Errors
/// As [`props`].
pub(crate) fn device_props(object: &Bound<'_, PyAny>) -> PyResult<Props> {
    match object.cast::<PyString>() {
        Ok(text) => Props::parse_device(&text.to_cow()?).or_raise(),
        Err(_) => props(Some(object)),
    }
}

/// The entries of a dictionary that is the `level`-th of lists and dictionaries within each other.
fn entries(mapping: &Bound<'_, PyMapping>, level: usize) -> PyResult<BTreeMap<String, Value>> {
    let mut entries = BTreeMap::new();
    for item in mapping.items()?.iter() {
        let (name, item): (String, Bound<'_, PyAny>) = item.extract()?;
        let value = value(&item, level).map_err(|error| match error.is_instance_of::<PyTypeError>(mapping.py()) {
            true => WrongTypeError::new_err(format!("property `{name}`: {}", error.value(mapping.py()))),
            false => error,
        })?;
        entries.insert(name, value);
    }
    Ok(entries)
}

/// The level within one more list or dictionary.
/// # Errors
/// `ferrocca.Error` beyond what the text of properties can have; what contains itself has no end.
fn deeper(level: usize) -> PyResult<usize> {
    if level == Props::MAX_DEPTH {
        let message = format!("properties are nested deeper than {level} levels, or contain themselves");
        return Err(ferrocca::Error::new(ErrorKind::Props { message })).or_raise();
    }
    Ok(level + 1)
}

fn value(object: &Bound<'_, PyAny>, level: usize) -> PyResult<Value> {
    // `bool` before `int`, whose subclass it is.
    Ok(if object.is_none() {
        Value::Null
    } else if object.is_instance_of::<PyBool>() {
        Value::Bool(object.extract()?)
    } else if object.is_instance_of::<PyInt>() {
        Value::Int(object.extract()?)
    } else if object.is_instance_of::<PyFloat>() {
        Value::Float(object.extract()?)
    } else if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let level = deeper(level)?;
        Value::List(object.try_iter()?.map(|item| value(&item?, level)).collect::<PyResult<_>>()?)
    } else if object.is_instance_of::<PyDict>() {
        Value::Map(entries(object.cast::<PyMapping>()?, deeper(level)?)?)
    } else if let Ok(text) = object.extract::<String>() {
        Value::String(text)
    } else if object.hasattr("__fspath__")? {
        Value::String(object.call_method0("__fspath__")?.extract()?)
    } else if object.hasattr("__index__")? {
        Value::Int(object.call_method0("__index__")?.extract()?)
    } else if object.hasattr("__float__")? {
        Value::Float(object.call_method0("__float__")?.extract()?)
    } else {
        return Err(WrongTypeError::new_err(format!("{} is not a valid property value", kind(object)?)));
    })
}

fn kind(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(format!("`{}`", object.get_type().name()?))
}
