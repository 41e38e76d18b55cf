//! Reductions, scans, sorts, histograms, selections and transposes: `ferrocca::primitives` on memory of Python's.

use crate::element::ElementFormat;
use crate::error::WrongValueError;
use crate::memory::{PyMemory, count, refuse_strides, view_of, with_type};
use crate::primitives::{Operands, of_structs};
use ferrocca::primitives::{Operator, Primitives, Reduction};
use ferrocca::{AnyMemory, Result};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An operation by its name, or a user's by its text and identity.
fn operator<'a>(name: &'a str, identity: Option<&'a str>) -> PyResult<Operator<'a>> {
    Ok(match (name, identity) {
        (text, Some(identity)) => Operator::new(text, identity),
        ("sum", None) => Operator::SUM,
        ("prod", None) => Operator::PRODUCT,
        ("min", None) => Operator::MIN,
        ("max", None) => Operator::MAX,
        _ => return Err(WrongValueError::new_err(format!("`{name}` is no operation"))),
    })
}

/// A formula's values combined: by `kind`, or by a user's operation where there is an `identity`; all of them, or along an
/// axis, which the result has not.
#[pyfunction]
#[pyo3(signature = (kind, text, number, dtype, operands, axis = None, ddof = 0, identity = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn reduce(
    py: Python<'_>,
    kind: &str,
    text: &str,
    number: Option<&Bound<'_, PyAny>>,
    dtype: &Bound<'_, PyAny>,
    operands: &Bound<'_, PyTuple>,
    axis: Option<usize>,
    ddof: usize,
    identity: Option<&str>,
) -> PyResult<Py<PyMemory>> {
    let element = ElementFormat::parse(dtype)?;
    let operands = Operands::new(operands, number, None)?;
    let mut shape = operands.shape()?;
    match axis {
        Some(axis) if axis < shape.len() => drop(shape.remove(axis)),
        Some(axis) => return Err(WrongValueError::new_err(format!("axis {axis} of memory of {} axes", shape.len()))),
        None => shape.clear(),
    }
    let memory = operands.allocate(element, count(&shape, element)?)?;
    let mut out = memory.clone();
    let formula = operands.formula(text)?;
    let combined = match (kind, identity) {
        ("any" | "all" | "mean" | "var" | "std" | "argmin" | "argmax", None) => None,
        _ => Some(operator(kind, identity)?),
    };
    operands.queue(py, &[&memory], |primitives| {
        let reduction = match (combined, kind) {
            (Some(operator), _) => primitives.reduce(formula, operator),
            (None, "any") => primitives.any(formula),
            (None, "all") => primitives.all(formula),
            (None, "mean") => primitives.mean(formula),
            (None, "var") => primitives.variance(formula, ddof),
            (None, "std") => primitives.standard_deviation(formula, ddof),
            (None, "argmin") => primitives.arg_min(formula),
            (None, _) => primitives.arg_max(formula),
        };
        store(&reduction, axis, &mut out)
    })?;
    PyMemory::new(py, memory, element, &shape, false)
}

fn store(reduction: &Reduction<'_>, axis: Option<usize>, out: &mut AnyMemory) -> Result<()> {
    with_type!(out.dtype(), T => {
        let out = &mut out.typed::<T>()?;
        match axis {
            Some(axis) => reduction.store_along(axis, out),
            None => reduction.store(out),
        }
    }, else |layout| Err(of_structs(layout.name)))
}

/// Every value of a formula combined with those before it: in the order of all, or along an axis.
#[pyfunction]
#[pyo3(signature = (kind, text, number, dtype, operands, axis = None, inclusive = true, identity = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn scan(
    py: Python<'_>,
    kind: &str,
    text: &str,
    number: Option<&Bound<'_, PyAny>>,
    dtype: &Bound<'_, PyAny>,
    operands: &Bound<'_, PyTuple>,
    axis: Option<usize>,
    inclusive: bool,
    identity: Option<&str>,
) -> PyResult<Py<PyMemory>> {
    let (element, operator) = (ElementFormat::parse(dtype)?, operator(kind, identity)?);
    let operands = Operands::new(operands, number, None)?;
    let shape = operands.shape()?;
    let memory = operands.allocate(element, count(&shape, element)?)?;
    let out = memory.clone();
    let formula = operands.formula(text)?;
    operands.queue(py, &[&memory], |primitives| {
        let scan = match inclusive {
            true => primitives.scan_inclusive(formula, operator),
            false => primitives.scan_exclusive(formula, operator),
        };
        with_type!(out.dtype(), T => {
            let out = &mut out.typed::<T>()?;
            match axis {
                Some(axis) => scan.store_along(axis, out),
                None => scan.store(out),
            }
        }, else |layout| Err(of_structs(layout.name)))
    })?;
    PyMemory::new(py, memory, element, &shape, false)
}

/// New memory with what `work` makes of some whose elements lie in a row each.
fn of_rows(
    py: Python<'_>,
    memories: &[&Bound<'_, PyMemory>],
    dtype: &str,
    shape: Vec<i64>,
    work: impl FnOnce(&Primitives, &[AnyMemory], &mut AnyMemory) -> Result<()> + Send,
) -> PyResult<Py<PyMemory>> {
    let operands = Operands::new(&PyTuple::new(py, memories)?, None, None)?;
    let mut rows = Vec::new();
    for memory in memories {
        let memory = memory.borrow();
        refuse_strides(&view_of(&memory))?;
        rows.push(memory.memory.clone());
    }
    let element = ElementFormat::find(|element| element.name == dtype);
    let element = element.ok_or_else(|| WrongValueError::new_err(format!("`{dtype}` is no type of results")))?;
    let out = operands.allocate(element, count(&shape, element)?)?;
    let mut target = out.clone();
    operands.queue(py, &[&out], |primitives| work(primitives, &rows, &mut target))?;
    PyMemory::new(py, out, element, &shape, false)
}

/// New memory with what `work` makes of one whose elements lie in a row.
fn of_row(
    py: Python<'_>,
    memory: &Bound<'_, PyMemory>,
    dtype: Option<&str>,
    shape: Option<Vec<i64>>,
    work: impl FnOnce(&Primitives, &AnyMemory, &mut AnyMemory) -> Result<()> + Send,
) -> PyResult<Py<PyMemory>> {
    let operands = Operands::new(&PyTuple::new(py, [memory])?, None, None)?;
    let borrowed = memory.borrow();
    let view = view_of(&borrowed);
    refuse_strides(&view)?;
    let element = match dtype {
        Some(dtype) => ElementFormat::find(|element| element.name == dtype).unwrap_or(view.element),
        None => view.element,
    };
    let shape = shape.unwrap_or_else(|| view.shape.to_vec());
    let out = operands.allocate(element, count(&shape, element)?)?;
    let (source, mut target) = (borrowed.memory.clone(), out.clone());
    operands.queue(py, &[&out], |primitives| work(primitives, &source, &mut target))?;
    PyMemory::new(py, out, element, &shape, false)
}

/// The elements in ascending order, all of them as one row.
#[pyfunction]
pub(crate) fn sort(py: Python<'_>, keys: &Bound<'_, PyMemory>) -> PyResult<Py<PyMemory>> {
    of_row(py, keys, None, None, |primitives, keys, out| {
        with_type!(keys.dtype(), T => primitives.sort(&keys.typed::<T>()?, &mut out.typed::<T>()?),
            else |layout| Err(of_structs(layout.name)))
    })
}

/// The indices, `int32`, of the elements in ascending order.
#[pyfunction]
pub(crate) fn argsort(py: Python<'_>, keys: &Bound<'_, PyMemory>) -> PyResult<Py<PyMemory>> {
    of_row(py, keys, Some("int32"), None, |primitives, keys, out| {
        with_type!(keys.dtype(), T => primitives.arg_sort(&keys.typed::<T>()?, &mut out.typed::<i32>()?),
            else |layout| Err(of_structs(layout.name)))
    })
}

/// The transpose of two axes.
#[pyfunction]
pub(crate) fn transpose(
    py: Python<'_>,
    values: &Bound<'_, PyMemory>,
    rows: usize,
    columns: usize,
) -> PyResult<Py<PyMemory>> {
    of_row(py, values, None, Some(vec![columns as i64, rows as i64]), |primitives, values, out| {
        with_type!(values.dtype(), T => primitives.transpose(&values.typed::<T>()?, [rows, columns], &mut out.typed::<T>()?),
            else |layout| Err(of_structs(layout.name)))
    })
}

/// How often each of the numbers below `bins` is in memory of integers, `int64` or `int32`; or the sum of the weights of each.
#[pyfunction]
#[pyo3(signature = (values, bins, dtype, weights = None))]
pub(crate) fn bincount(
    py: Python<'_>,
    values: &Bound<'_, PyMemory>,
    bins: i64,
    dtype: &str,
    weights: Option<&Bound<'_, PyMemory>>,
) -> PyResult<Py<PyMemory>> {
    let rows: Vec<&Bound<'_, PyMemory>> = [values].into_iter().chain(weights).collect();
    of_rows(py, &rows, dtype, vec![bins], |primitives, rows, counts| {
        with_type!(counts.dtype(), T => {
            let (histogram, counts) = (primitives.bincount(&rows[0]), &mut counts.typed::<T>()?);
            match rows.get(1) {
                None => histogram.store(counts),
                Some(weights) => histogram.store_weights(weights, counts),
            }
        }, else |layout| Err(of_structs(layout.name)))
    })
}

/// Where the bins of an axis are: between `low` and `high`, or between neighbours of edges.
type Axis<'py> = (Bound<'py, PyMemory>, i64, f64, f64, Option<Bound<'py, PyMemory>>);

/// How many elements lie in each bin along one axis or two, or the sum of their weights. An axis is memory of values, the number
/// of bins, the lowest and highest edge, or memory of all edges.
#[pyfunction]
#[pyo3(signature = (axes, dtype, weights = None))]
pub(crate) fn histogram(
    py: Python<'_>,
    axes: Vec<Axis<'_>>,
    dtype: &str,
    weights: Option<&Bound<'_, PyMemory>>,
) -> PyResult<Py<PyMemory>> {
    let shape: Vec<i64> = axes.iter().map(|axis| axis.1).collect();
    let rows: Vec<&Bound<'_, PyMemory>> =
        axes.iter().flat_map(|axis| [Some(&axis.0), axis.4.as_ref()]).flatten().chain(weights).collect();
    let limits: Vec<(f64, f64, bool)> = axes.iter().map(|axis| (axis.2, axis.3, axis.4.is_some())).collect();
    let weighted = weights.is_some();
    let bins: Vec<usize> = shape.iter().map(|&bins| bins as usize).collect();
    of_rows(py, &rows, dtype, shape, |primitives, rows, counts| {
        let mut rows = rows.iter();
        let mut next = || rows.next().ok_or_else(|| ferrocca::Error::invalid("an axis has no values"));
        let mut along = Vec::new();
        for (low, high, has_edges) in limits {
            let values = next()?;
            along.push(match has_edges {
                false => primitives.histogram(values, low, high),
                true => primitives.histogram_of_any_edges(values, next()?),
            });
        }
        let weights = weighted.then(next).transpose()?;
        with_type!(counts.dtype(), T => {
            let counts = &mut counts.typed::<T>()?;
            let mut along = along.into_iter();
            match (along.next(), along.next(), weights) {
                (Some(x), None, None) => x.store(counts),
                (Some(x), None, Some(weights)) => x.store_weights(weights, counts),
                (Some(x), Some(y), None) => x.by(y, [bins[0], bins[1]]).store(counts),
                (Some(x), Some(y), Some(weights)) => x.by(y, [bins[0], bins[1]]).store_weights(weights, counts),
                (None, _, _) => Err(ferrocca::Error::invalid("a histogram has one axis or two")),
            }
        }, else |layout| Err(of_structs(layout.name)))
    })
}

/// The values where a mask of the same shape is not zero, in their order, in memory that has room for all, and how many
/// they are, in memory of one `int32` or `int64`.
#[pyfunction]
pub(crate) fn compact(
    py: Python<'_>,
    text: &str,
    dtype: &Bound<'_, PyAny>,
    number: Option<&Bound<'_, PyAny>>,
    operands: &Bound<'_, PyTuple>,
    mask: &Bound<'_, PyMemory>,
    counter: &str,
) -> PyResult<(Py<PyMemory>, Py<PyMemory>)> {
    let element = ElementFormat::parse(dtype)?;
    let mut all: Vec<Bound<'_, PyAny>> = operands.iter().collect();
    all.push(mask.clone().into_any());
    let mut operands = Operands::new(&PyTuple::new(py, all)?, number, None)?;
    let shape = operands.shape()?;
    let len = count(&shape, element)?;
    let (out, number) = (operands.allocate(element, len)?, ElementFormat::find(|element| element.name == counter));
    let number = number.ok_or_else(|| WrongValueError::new_err(format!("`{counter}` counts nothing")))?;
    let taken = operands.allocate(number, 1)?;
    let (target, counted) = (out.clone(), taken.clone());
    let Some(mask) = operands.given.pop() else {
        return Err(WrongValueError::new_err("there is no mask"));
    };
    let formula = operands.formula(text)?;
    let mask = mask.operand()?;
    operands.queue(py, &[&out, &taken], |primitives| {
        let mask = ferrocca::primitives::Formula::new("mask").with("mask", mask);
        let selection = primitives.compact(formula, mask);
        with_type!(target.dtype(), T => {
            let target = &mut target.typed::<T>()?;
            with_type!(counted.dtype(), C => selection.store(target, &mut counted.typed::<C>()?),
                else |layout| Err(of_structs(layout.name)))
        }, else |layout| Err(of_structs(layout.name)))
    })?;
    Ok((PyMemory::new(py, out, element, &[len as i64], false)?, PyMemory::new(py, taken, number, &[], false)?))
}

/// The highest elements, the highest first, and their indices, `int32`.
#[pyfunction]
pub(crate) fn top_k(py: Python<'_>, keys: &Bound<'_, PyMemory>, wanted: i64) -> PyResult<(Py<PyMemory>, Py<PyMemory>)> {
    let operands = Operands::new(&PyTuple::new(py, [keys])?, None, None)?;
    let borrowed = keys.borrow();
    let view = view_of(&borrowed);
    refuse_strides(&view)?;
    let len = count(&[wanted], view.element)?;
    let number = ElementFormat::of(ferrocca::DType::I32)?;
    let (out, indices) = (operands.allocate(view.element, len)?, operands.allocate(number, len)?);
    let (source, highest, places) = (borrowed.memory.clone(), out.clone(), indices.clone());
    operands.queue(py, &[&out, &indices], |primitives| {
        with_type!(source.dtype(), T => {
            let (keys, out) = (source.typed::<T>()?, &mut highest.typed::<T>()?);
            primitives.top_k(&keys, out, &mut places.typed::<i32>()?)
        }, else |layout| Err(of_structs(layout.name)))
    })?;
    Ok((PyMemory::new(py, out, view.element, &[wanted], false)?, PyMemory::new(py, indices, number, &[wanted], false)?))
}
