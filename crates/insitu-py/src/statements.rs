//! Statements for every element whose parameters are known: what an `ElementwiseKernel` is for some types of arguments, and a
//! fused function. A call parses nothing and makes no objects but its results.

use crate::element::ElementFormat;
use crate::elementwise::{own_copies, value_type};
use crate::error::{OrRaise, WrongTypeError, WrongValueError};
use crate::memory::{PyMemory, count, refuse_read_only, view_of};
use crate::primitives::{Given, Operands, PreparedKey, broadcast, overlap, place};
use crate::view::View;
use ferrocca::okl::ir::Scalar;
use ferrocca::primitives::{Prepared, ValueType};
use ferrocca::{AnyMemory, Arg};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// No others have it.
    number: u64,
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
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(Self { number, name, body, functions, types, inputs, outputs })
    }

    /// Runs them on arguments of those types: the inputs, and all outputs or none, which are made then. Answers the output, or a
    /// tuple of them. `shape` is that of the elements, where the arguments alone do not say it.
    #[pyo3(signature = (arguments, shape = None))]
    pub(crate) fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        shape: Option<Vec<i64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut inputs: SmallVec<[Given; 4]> = SmallVec::new();
        let mut outs: Outs<'py> = SmallVec::new();
        // Its device computes: the first output's, or else the first input's.
        let mut owner = None;
        for (position, object) in arguments.iter().enumerate() {
            if let Some(parameter) = self.inputs.get(position) {
                inputs.push(self.input(parameter, &object)?);
                owner = owner.or_else(|| object.cast_into::<PyMemory>().ok());
            } else {
                let out = object.cast_into::<PyMemory>().map_err(|_| WrongTypeError::new_err("an output is memory"))?;
                refuse_read_only(&out.as_super().get().view)?;
                outs.push(out.borrow());
                if outs.len() == 1 {
                    owner = Some(out);
                }
            }
        }
        let Some(owner) = owner.as_ref().map(Bound::get) else {
            return Err(WrongTypeError::new_err(format!("`{}` needs memory among its arguments", self.name)));
        };
        let mut operands = Operands::of(inputs, owner);
        if shape.is_none() && self.launch_prepared(py, owner, &operands, &mut outs)? {
            return answer(py, &outs);
        }
        let shape = match shape {
            Some(shape) => shape,
            None => self.shape(&operands.given, &outs)?,
        };
        if outs.is_empty() {
            self.make(py, &operands, &shape, &mut outs)?;
        } else {
            own_copies(py, &mut operands, &outs.iter().collect::<Vec<_>>())?;
        }
        let prepared = self.queue(py, &operands, &outs, &shape)?;
        if let Some(prepared) = prepared {
            owner.primitives.keep(self.key(&operands.given), prepared);
        }
        answer(py, &outs)
    }
}

/// Memory that results go to.
type Outs<'py> = SmallVec<[PyRef<'py, PyMemory>; 2]>;

/// The output, or a tuple of several.
fn answer<'py>(py: Python<'py>, outs: &Outs<'py>) -> PyResult<Bound<'py, PyAny>> {
    let mut objects = outs.iter().map(|out| out.into_pyobject(py).map(|object| object.to_owned()));
    match (objects.next(), outs.len()) {
        (Some(out), 1) => Ok(out?.into_any()),
        (out, _) => Ok(PyTuple::new(py, out.into_iter().chain(objects).collect::<Result<Vec<_>, _>>()?)?.into_any()),
    }
}

impl PyStatements {
    fn input(&self, parameter: &Parameter, object: &Bound<'_, PyAny>) -> PyResult<Given> {
        let value = Given::new(object, (parameter.role == Role::Input).then_some(parameter.value))?;
        if let (Role::Raw, Given::Memory { view, .. }) = (parameter.role, &value)
            && !view.is_contiguous()
        {
            let text = format!(
                "`{}`: raw `{}` does not lie in a row: `copy()` makes one that does",
                self.name, parameter.name
            );
            return Err(WrongValueError::new_err(text));
        }
        Ok(value)
    }

    /// Makes the outputs.
    fn make<'py>(&self, py: Python<'py>, operands: &Operands, shape: &[i64], outs: &mut Outs<'py>) -> PyResult<()> {
        for parameter in &self.outputs {
            let memory = operands.allocate(parameter.element, count(shape, parameter.element)?)?;
            outs.push(PyMemory::new(py, memory, parameter.element, shape, false)?.into_bound(py).borrow());
        }
        Ok(())
    }

    /// Launches what was launched before, where all memory has one shape and lies in a row. Whether there is something ready
    /// for that: what is to be refused goes the long way, too.
    fn launch_prepared<'py>(
        &self,
        py: Python<'py>,
        owner: &PyMemory,
        operands: &Operands,
        outs: &mut Outs<'py>,
    ) -> PyResult<bool> {
        let Some(view) = self.in_row(&operands.given, outs) else { return Ok(false) };
        let prepared = owner.primitives.prepared(self.key(&operands.given), operands.primitives.stream());
        let Some(prepared) = prepared.filter(|prepared| prepared.counts(view.size())) else { return Ok(false) };
        if outs.is_empty() {
            self.make(py, operands, &view.shape, outs)?;
        }
        let mut results: SmallVec<[AnyMemory; 2]> = outs.iter().map(|out| out.memory.clone()).collect();
        let written: SmallVec<[&AnyMemory; 2]> = outs.iter().map(|out| &out.memory).collect();
        operands.queue(py, &written, |_| {
            let arguments = operands.given.iter().map(Given::argument).chain(results.iter_mut().map(Arg::write));
            prepared.launch(arguments, view.size())
        })?;
        Ok(true)
    }

    fn key(&self, inputs: &[Given]) -> PreparedKey {
        let bit = |(position, given): (usize, &Given)| u64::from(!matches!(given, Given::Memory { .. })) << position;
        PreparedKey { statements: self.number, numbers: inputs.iter().take(64).enumerate().map(bit).sum() }
    }

    /// The view of the first memory, where all others have its shape, elements in a row, and no memory in common but all of it.
    fn in_row(&self, inputs: &[Given], outs: &Outs<'_>) -> Option<Arc<View>> {
        if self.inputs.len() > 64 || inputs.len() < self.inputs.len() {
            return None;
        }
        let memories = self.inputs.iter().zip(inputs).filter_map(|(parameter, given)| match given {
            Given::Memory { memory, view } => Some((parameter, memory, view)),
            _ => None,
        });
        let results =
            self.outputs.iter().zip(outs).map(|(parameter, out)| (parameter, &out.memory, &out.as_super().view));
        let (_, _, first) = memories.clone().chain(results.clone()).next()?;
        let fits = |(parameter, memory, view): (&Parameter, &AnyMemory, &Arc<View>)| {
            matches!(parameter.role, Role::Input | Role::Output)
                && std::ptr::eq(view.element, parameter.element)
                && view.shape == first.shape
                && view.is_contiguous()
                && memory.len() == view.size()
        };
        let is_apart = |(_, memory, view): (&Parameter, &AnyMemory, &Arc<View>)| {
            !results.clone().any(|(_, out, own)| overlap((memory, view), (out, own)))
        };
        let all = memories.clone().chain(results.clone()).all(fits) && memories.clone().all(is_apart);
        (all && first.size() > 0).then(|| first.clone())
    }

    /// The shape that inputs and outputs are repeated to, but those that are raw.
    fn shape(&self, inputs: &[Given], outs: &[PyRef<'_, PyMemory>]) -> PyResult<Vec<i64>> {
        let own = self.inputs.iter().zip(inputs).filter_map(|(parameter, given)| match (parameter.role, given) {
            (Role::Input, Given::Memory { view, .. }) => Some(view.clone()),
            _ => None,
        });
        let others = self.outputs.iter().zip(outs).filter(|(parameter, _)| parameter.role == Role::Output);
        broadcast(own.chain(others.map(|(_, out)| view_of(out))))
    }

    /// What may be launched again is answered.
    fn queue(
        &self,
        py: Python<'_>,
        operands: &Operands,
        outs: &[PyRef<'_, PyMemory>],
        shape: &[i64],
    ) -> PyResult<Option<Prepared>> {
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
        let mut prepared = None;
        operands.queue(py, &written, |_| {
            prepared = work.run_prepared()?;
            Ok(())
        })?;
        Ok(prepared)
    }
}
