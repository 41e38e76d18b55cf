//! Statements for every element whose parameters are known: what an `ElementwiseKernel` is for some types of arguments, and a
//! fused function. A call parses nothing and makes no objects but its results.

use crate::element::ElementFormat;
use crate::elementwise::{own_copies, value_type};
use crate::error::{OrRaise, WrongTypeError, WrongValueError};
use crate::memory::{PyMemory, count, refuse_read_only, view_of};
use crate::primitives::{Given, Operands, broadcast, place};
use ferrocca::AnyMemory;
use ferrocca::okl::ir::Scalar;
use ferrocca::primitives::ValueType;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    Raw,
    Output,
    RawOutput,
}

struct Parameter {
    role: Role,
    name: String,
    element: &'static ElementFormat,
    /// Of a number.
    value: ValueType,
}

/// Statements, the functions that they call, and what their parameters are.
#[pyclass(frozen, module = "ferrocca._native", name = "Statements")]
pub(crate) struct PyStatements {
    name: String,
    body: String,
    functions: String,
    /// Names that the statements have for types.
    types: Vec<(String, ValueType)>,
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
}

#[pymethods]
impl PyStatements {
    /// `types`: a name and a dtype each; `parameters`: `in`, `raw`, `out` or `raw out`, a name and a dtype each, inputs first.
    #[new]
    fn new(
        name: String,
        body: String,
        functions: String,
        types: Vec<(String, Bound<'_, PyAny>)>,
        parameters: Vec<(String, String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let computed = |element| {
            Ok::<_, PyErr>(match value_type(element)? {
                ValueType::Real(real) if real.is_storage() => real.computes_as().into(),
                other => other,
            })
        };
        let types = types.into_iter().map(|(name, dtype)| Ok((name, computed(ElementFormat::parse(&dtype)?)?)));
        let types = types.collect::<PyResult<_>>()?;
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (kind, name, dtype) in parameters {
            let element = ElementFormat::parse(&dtype)?;
            let (list, role) = match &*kind {
                "in" => (&mut inputs, Role::Input),
                "raw" => (&mut inputs, Role::Raw),
                "out" => (&mut outputs, Role::Output),
                "raw out" => (&mut outputs, Role::RawOutput),
                _ => return Err(WrongValueError::new_err(format!("parameter `{name}` is `{kind}`"))),
            };
            list.push(Parameter { role, name, element, value: computed(element)? });
        }
        Ok(Self { name, body, functions, types, inputs, outputs })
    }

    /// Runs them on arguments of those types: the inputs, and all outputs or none, which are made then. Answers the output, or a
    /// tuple of them. `shape` is that of the elements, where the arguments alone do not say it.
    #[pyo3(signature = (arguments, shape = None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        shape: Option<Vec<i64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let expected = self.inputs.len();
        let values = arguments.get_slice(0, expected);
        let given = arguments.get_slice(expected, arguments.len());
        let mut inputs: SmallVec<[Given; 4]> = SmallVec::new();
        for (parameter, object) in self.inputs.iter().zip(&values) {
            let value = Given::new(&object, (parameter.role == Role::Input).then_some(parameter.value))?;
            if let (Role::Raw, Given::Memory { view, .. }) = (parameter.role, &value)
                && !view.is_contiguous()
            {
                let text = format!(
                    "`{}`: raw `{}` does not lie in a row: `copy()` makes one that does",
                    self.name, parameter.name
                );
                return Err(WrongValueError::new_err(text));
            }
            inputs.push(value);
        }
        let mut outs: SmallVec<[PyRef<'py, PyMemory>; 2]> = SmallVec::new();
        for object in &given {
            let out = object.cast_into::<PyMemory>().map_err(|_| WrongTypeError::new_err("an output is memory"))?;
            let out = out.borrow();
            refuse_read_only(&view_of(&out))?;
            outs.push(out);
        }
        let shape = match shape {
            Some(shape) => shape,
            None => self.shape(&inputs, &outs)?,
        };
        let first = values.iter().find_map(|object| object.cast_into::<PyMemory>().ok());
        let mut operands = match (outs.first(), &first) {
            (Some(owner), _) => Operands::of(inputs, owner),
            (None, Some(owner)) => Operands::of(inputs, owner.get()),
            (None, None) => {
                return Err(WrongTypeError::new_err(format!("`{}` needs memory among its arguments", self.name)));
            }
        };
        let has_outs = !outs.is_empty();
        if has_outs {
            own_copies(py, &mut operands, &outs.iter().collect::<Vec<_>>())?;
        } else {
            for parameter in &self.outputs {
                let memory = operands.allocate(parameter.element, count(&shape, parameter.element)?)?;
                outs.push(PyMemory::new(py, memory, parameter.element, &shape, false)?.into_bound(py).borrow());
            }
        }
        self.queue(py, &operands, &outs, &shape)?;
        match (&*outs, has_outs) {
            ([_], true) => given.get_item(0),
            (_, true) => Ok(given.into_any()),
            ([out], false) => out.into_pyobject(py).map(|object| object.to_owned().into_any()).map_err(Into::into),
            (_, false) => {
                let objects = outs.iter().map(|out| out.into_pyobject(py).map(|object| object.to_owned()));
                Ok(PyTuple::new(py, objects.collect::<Result<Vec<_>, _>>()?)?.into_any())
            }
        }
    }
}

impl PyStatements {
    /// The shape that inputs and outputs are repeated to, but those that are raw.
    fn shape(&self, inputs: &[Given], outs: &[PyRef<'_, PyMemory>]) -> PyResult<Vec<i64>> {
        let own = self.inputs.iter().zip(inputs).filter_map(|(parameter, given)| match (parameter.role, given) {
            (Role::Input, Given::Memory { view, .. }) => Some(view.clone()),
            _ => None,
        });
        let others = self.outputs.iter().zip(outs).filter(|(parameter, _)| parameter.role == Role::Output);
        broadcast(own.chain(others.map(|(_, out)| view_of(out))))
    }

    fn queue(&self, py: Python<'_>, operands: &Operands, outs: &[PyRef<'_, PyMemory>], shape: &[i64]) -> PyResult<()> {
        let mut work = operands.primitives.elementwise(&self.body).functions(&self.functions);
        for (name, of) in &self.types {
            work = work.type_name(name, *of);
        }
        let lengths: SmallVec<[usize; 8]> = shape.iter().map(|&length| length as usize).collect();
        work = work.shape(&lengths).or_raise()?;
        for (parameter, given) in self.inputs.iter().zip(&operands.given) {
            work = match (parameter.role, given) {
                (Role::Raw, Given::Memory { memory, .. }) => work.raw(&parameter.name, memory),
                _ => work.input(&parameter.name, given.operand()?),
            };
        }
        for (parameter, out) in self.outputs.iter().zip(outs) {
            let view = view_of(out);
            work = match parameter.role {
                Role::RawOutput => work.raw_output(&parameter.name, &mut out.memory.clone()),
                _ => {
                    let value = view.element.is_bool().then_some(Scalar::Bool);
                    work.output(&parameter.name, place(&out.memory, &view)?, value)
                }
            };
        }
        let written: SmallVec<[&AnyMemory; 2]> = outs.iter().map(|out| &out.memory).collect();
        operands.queue(py, &written, |_| work.run())
    }
}
