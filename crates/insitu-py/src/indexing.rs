//! `memory[index]`: integers, slices, `...` and `None` are another view of the same memory, made here; masks and arrays of
//! indices need kernels, and are the package's `ferrocca._array.indexing`.

use crate::element::ElementFormat;
use crate::error::{OrRaise, OutOfBoundsError, WrongTypeError, WrongValueError};
use crate::memory::{PyMemory, view_of};
use crate::view::View;
use ferrocca::AnyMemory;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PySlice, PyTuple};

/// A view while it is made, of some axes of another one.
pub(crate) struct Places {
    pub(crate) shape: Vec<i64>,
    /// In elements.
    pub(crate) strides: Vec<i64>,
    pub(crate) first: i64,
}

/// What `memory[index]` is.
pub(crate) fn get<'py>(memory: &Bound<'py, PyMemory>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static TAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (py, borrowed) = (memory.py(), memory.borrow());
    match basic(&view_of(&borrowed), index)? {
        Some(Places { shape, strides, first }) => {
            Ok(strided(py, &borrowed, &shape, &strides, first)?.into_bound(py).into_any())
        }
        None => TAKE.import(py, "ferrocca._array.indexing", "take_at")?.call1((memory, index)),
    }
}

/// Does `memory[index] = value`.
pub(crate) fn set(memory: &Bound<'_, PyMemory>, index: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static ASSIGN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static PUT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (py, borrowed) = (memory.py(), memory.borrow());
    match basic(&view_of(&borrowed), index)? {
        Some(Places { shape, strides, first }) => {
            let part = strided(py, &borrowed, &shape, &strides, first)?;
            ASSIGN.import(py, "ferrocca._array.indexing", "assign")?.call1((part, value))?;
        }
        None => {
            PUT.import(py, "ferrocca._array.indexing", "put_at")?.call1((memory, index, value))?;
        }
    }
    Ok(())
}

/// The view that an index of integers, slices, `...` and `None` is; nothing for others.
/// # Errors
/// `IndexError` for an index out of range, and for more indices than axes.
fn basic(view: &View, index: &Bound<'_, PyAny>) -> PyResult<Option<Places>> {
    let entries: Vec<Bound<'_, PyAny>> = match index.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![index.clone()],
    };
    let ellipses = entries.iter().filter(|entry| entry.is_instance_of::<PyEllipsis>()).count();
    let used = entries.iter().filter(|entry| !entry.is_none() && !entry.is_instance_of::<PyEllipsis>()).count();
    for entry in &entries {
        let is_basic = entry.is_none()
            || entry.is_instance_of::<PySlice>()
            || entry.is_instance_of::<PyEllipsis>()
            || (integer(entry).is_some());
        if !is_basic {
            return Ok(None);
        }
    }
    if ellipses > 1 {
        return Err(OutOfBoundsError::new_err("an index can only have a single ellipsis ('...')"));
    }
    let axes = view.shape.len();
    if used > axes {
        return Err(OutOfBoundsError::new_err(format!("too many indices: memory of {axes} axes, {used} indices")));
    }
    let mut places = Places { shape: Vec::new(), strides: Vec::new(), first: 0 };
    let mut axis = 0;
    for entry in &entries {
        if entry.is_none() {
            places.shape.push(1);
            places.strides.push(0);
        } else if entry.is_instance_of::<PyEllipsis>() {
            places.whole(view, axis..axis + axes - used);
            axis += axes - used;
        } else {
            places.take(view, axis, entry)?;
            axis += 1;
        }
    }
    places.whole(view, axis..axes);
    Ok(Some(places))
}

/// An index that is an integer: Python's, or one of an array library; no truth value, which is a mask, and no array of axes.
fn integer(entry: &Bound<'_, PyAny>) -> Option<i64> {
    if entry.is_instance_of::<PyBool>() || entry.is_instance_of::<PyMemory>() {
        return None;
    }
    if !entry.is_instance_of::<PyInt>()
        && entry.getattr("shape").is_ok_and(|shape| shape.len().is_ok_and(|axes| axes > 0))
    {
        return None;
    }
    entry.extract().ok()
}

impl Places {
    fn whole(&mut self, view: &View, axes: std::ops::Range<usize>) {
        self.shape.extend_from_slice(&view.shape[axes.clone()]);
        self.strides.extend_from_slice(&view.strides[axes]);
    }

    fn take(&mut self, view: &View, axis: usize, entry: &Bound<'_, PyAny>) -> PyResult<()> {
        let (length, stride) = (view.shape[axis], view.strides[axis]);
        if let Ok(slice) = entry.cast::<PySlice>() {
            let part = slice.indices(length as isize)?;
            self.shape.push(part.slicelength as i64);
            self.strides.push(stride.wrapping_mul(part.step as i64));
            if part.slicelength > 0 {
                self.first += part.start as i64 * stride;
            }
            return Ok(());
        }
        let index = integer(entry).unwrap_or_default();
        let place = if index < 0 { index + length } else { index };
        if !(0..length).contains(&place) {
            return Err(OutOfBoundsError::new_err(format!(
                "index {index} is out of range for axis {axis} with {length} elements"
            )));
        }
        self.first += place * stride;
        Ok(())
    }
}

/// The same memory by other strides, from the element `first` of the view on.
/// # Errors
/// `ValueError` where an element is not in the memory.
pub(crate) fn strided(
    py: Python<'_>,
    memory: &PyRef<'_, PyMemory>,
    shape: &[i64],
    strides: &[i64],
    first: i64,
) -> PyResult<Py<PyMemory>> {
    let view = view_of(memory);
    let places = Places { shape: shape.to_vec(), strides: strides.to_vec(), first: view.first as i64 + first };
    within(py, &memory.memory, view.element, &places, view.read_only)
}

/// The elements of memory at some places, the first one counted from its start.
/// # Errors
/// `ValueError` where an element is not in the memory.
pub(crate) fn within(
    py: Python<'_>,
    memory: &AnyMemory,
    element: &'static ElementFormat,
    places: &Places,
    read_only: bool,
) -> PyResult<Py<PyMemory>> {
    let Places { shape, strides, first: start } = places;
    if shape.len() != strides.len() {
        return Err(WrongTypeError::new_err(format!("{} axes have {} strides", shape.len(), strides.len())));
    }
    let (mut low, mut high) = (*start, start + 1);
    for (length, stride) in shape.iter().zip(strides) {
        let reach = (length - 1).max(0).saturating_mul(*stride);
        if reach < 0 { low = low.saturating_add(reach) } else { high = high.saturating_add(reach) }
    }
    if shape.contains(&0) {
        (low, high) = (0, 0);
    }
    let Some((from, to)) = usize::try_from(low).ok().zip(usize::try_from(high).ok()) else {
        return Err(WrongValueError::new_err(format!(
            "shape {shape:?}, strides {strides:?} elements leave the memory"
        )));
    };
    let range = memory.slice(from..to).or_raise()?;
    let first = if low == high { 0 } else { (start - low) as usize };
    PyMemory::strided(py, range, element, (shape, strides, first), read_only)
}
