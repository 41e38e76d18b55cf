//! Formulas and statements for every element: what arithmetic, assignment, indices and users' kernels of the package are
//! made of. The texts come from the package's Python, or from a user.

use crate::element::ElementFormat;
use crate::error::{OrRaise, WrongTypeError, WrongValueError};
use crate::memory::{PyMemory, count, refuse_read_only, view_of, with_type};
use crate::primitives::{Given, NAMES, Operands, of_structs, overlap, place};
use crate::view::row_major;
use ferrocca::AnyMemory;
use ferrocca::okl::ir::Scalar;
use ferrocca::primitives::{Operand, ValueType};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// New memory of the type `dtype` with a formula of operands, which are `x0`, `x1` … in it, for every element. Numbers are of
/// the type `number`.
#[pyfunction]
#[pyo3(signature = (text, number, dtype, operands, functions = ""))]
pub(crate) fn map(
    py: Python<'_>,
    text: &str,
    number: Option<&Bound<'_, PyAny>>,
    dtype: &Bound<'_, PyAny>,
    operands: &Bound<'_, PyTuple>,
    functions: &str,
) -> PyResult<Py<PyMemory>> {
    let element = ElementFormat::parse(dtype)?;
    let operands = Operands::new(operands, number, None)?;
    let shape = operands.shape()?;
    let mut memory = operands.allocate(element, count(&shape, element)?)?;
    let out = memory.clone();
    if functions.is_empty() {
        let formula = operands.formula(text)?;
        operands.queue(py, &[&out], |primitives| store(primitives.map(formula), &mut memory))?;
    } else {
        let lengths: Vec<usize> = shape.iter().map(|&length| length as usize).collect();
        let strides: Vec<isize> = row_major(&shape).into_iter().map(|stride| stride as isize).collect();
        let target = Operand::strided(&memory, 0, &lengths, &strides).or_raise()?;
        queue_formula(py, &operands, (text, functions), target, &out)?;
    }
    PyMemory::new(py, out, element, &shape, false)
}

fn store(map: ferrocca::primitives::Map<'_>, out: &mut AnyMemory) -> ferrocca::Result<()> {
    with_type!(out.dtype(), T => map.store(&mut out.typed::<T>()?), else |layout| Err(of_structs(layout.name)))
}

/// The same into memory that there is, whose elements may lie anywhere.
#[pyfunction]
#[pyo3(signature = (text, number, out, operands, functions = ""))]
pub(crate) fn map_into(
    py: Python<'_>,
    text: &str,
    number: Option<&Bound<'_, PyAny>>,
    out: PyRef<'_, PyMemory>,
    operands: &Bound<'_, PyTuple>,
    functions: &str,
) -> PyResult<()> {
    let view = view_of(&out);
    refuse_read_only(&view)?;
    let mut operands = Operands::new(operands, number, Some(&out))?;
    own_copies(py, &mut operands, &[&out])?;
    let target = place(&out.memory, &view)?;
    queue_formula(py, &operands, (text, functions), target, &out.memory)
}

/// A formula that calls functions, or whose results do not lie in a row.
fn queue_formula(
    py: Python<'_>,
    operands: &Operands,
    (text, functions): (&str, &str),
    target: Operand<'_>,
    out: &AnyMemory,
) -> PyResult<()> {
    let body = format!("y = {text};");
    let given = operands.given.iter().map(Given::operand).collect::<PyResult<Vec<_>>>()?;
    operands.queue(py, &[out], |primitives| {
        let mut work = primitives.elementwise(&body).functions(functions);
        for (name, operand) in NAMES.into_iter().zip(given) {
            work = work.input(name, operand);
        }
        work.output("y", target, None).run()
    })
}

/// Gives operands memory of their own that a result would overwrite before they are read.
pub(crate) fn own_copies(py: Python<'_>, operands: &mut Operands, outs: &[&PyRef<'_, PyMemory>]) -> PyResult<()> {
    for given in &mut operands.given {
        if let Given::Memory { memory, view } = given
            && outs.iter().any(|out| overlap((memory, view), (&out.memory, &view_of(out))))
        {
            *memory = py.detach(|| memory.duplicate()).or_raise()?;
        }
    }
    Ok(())
}

/// A parameter of statements, as Python gives it: what it is (`in`, `out`, `raw` or `raw out`), its name, memory or a number,
/// and the number's type.
type Parameter<'py> = (String, String, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// Statements for every element of `shape`, or of that of the operands: `types` are names for types, `functions` what the
/// statements call.
#[pyfunction]
#[pyo3(signature = (body, functions, types, parameters, shape = None))]
pub(crate) fn elementwise(
    py: Python<'_>,
    body: &str,
    functions: &str,
    types: Vec<(String, Bound<'_, PyAny>)>,
    parameters: Vec<Parameter<'_>>,
    shape: Option<Vec<usize>>,
) -> PyResult<()> {
    let mut objects = Vec::new();
    let mut outs = Vec::new();
    for (kind, _, object, _) in &parameters {
        if let Ok(memory) = object.cast::<PyMemory>() {
            let memory = memory.borrow();
            if kind.contains("out") {
                refuse_read_only(&view_of(&memory))?;
                outs.push(memory);
            } else {
                objects.push(object.clone());
            }
        } else if kind != "in" {
            return Err(WrongTypeError::new_err(format!("`{kind}` is memory, not `{}`", object.get_type().name()?)));
        }
    }
    // The device, and that all memory is noted as used.
    let mut operands = Operands::new(&PyTuple::new(py, &objects)?, None, outs.first())?;
    own_copies(py, &mut operands, &outs.iter().collect::<Vec<_>>())?;
    let mut copies = operands.given.iter();
    let types: Vec<(String, ValueType)> = types
        .into_iter()
        .map(|(name, dtype)| Ok((name, value_type(ElementFormat::parse(&dtype)?)?)))
        .collect::<PyResult<_>>()?;
    let mut numbers = Vec::new();
    for (kind, _, object, dtype) in &parameters {
        if kind == "in" && object.cast::<PyMemory>().is_err() {
            let dtype = dtype.as_ref().map(ElementFormat::parse).transpose()?.map(value_type).transpose()?;
            numbers.push(Given::new(object, dtype)?);
        }
    }
    let mut all_numbers = numbers.iter();
    let mut all_outs = outs.iter();
    let mut work = operands.primitives.elementwise(body).functions(functions);
    for (name, of) in &types {
        work = work.type_name(name, *of);
    }
    if let Some(shape) = shape {
        work = work.shape(&shape).or_raise()?;
    }
    for (kind, name, object, _) in &parameters {
        let given = match (object.cast::<PyMemory>().is_ok(), kind.contains("out")) {
            (true, false) => copies.next(),
            (false, _) => all_numbers.next(),
            (true, true) => None,
        };
        work = match (&**kind, given) {
            ("in", Some(given)) => work.input(name, given.operand()?),
            ("raw", Some(Given::Memory { memory, .. })) => work.raw(name, memory),
            ("out", None) | ("raw out", None) => {
                let Some(out) = all_outs.next() else { continue };
                let view = view_of(out);
                if kind == "raw out" {
                    work.raw_output(name, &mut out.memory.clone())
                } else {
                    let value = view.element.is_bool().then_some(Scalar::Bool);
                    work.output(name, place(&out.memory, &view)?, value)
                }
            }
            _ => return Err(WrongValueError::new_err(format!("parameter `{name}` is `{kind}`"))),
        };
    }
    let written: Vec<&AnyMemory> = outs.iter().map(|out| &out.memory).collect();
    operands.queue(py, &written, |_| work.run())
}

/// The kernel language's type for elements of a type; `bool` for truth values.
pub(crate) fn value_type(element: &'static ElementFormat) -> PyResult<ValueType> {
    if element.is_bool() {
        return Ok(Scalar::Bool.into());
    }
    ValueType::of(element.dtype).ok_or_else(|| WrongTypeError::new_err("elements are numbers"))
}
