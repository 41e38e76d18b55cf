//! `ferrocca.Kernel`: launches with Python's values.

use crate::borrowed::{note_use, release_done, release_launched};
use crate::device::wrap_foreign;
use crate::element::ElementFormat;
use crate::error::{RangeError, WrongTypeError, WrongValueError, raise_at};
use crate::import::import;
use crate::interrupt::{launch, wait};
use crate::memory::PyMemory;
use crate::owner::free_dropped;
use crate::shared::in_order;
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::signature::{ElementType, Parameter, ParameterKind};
use ferrocca::okl::value::ScalarValue;
use ferrocca::{AnyMemory, Arg, IntoArg, Kernel};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};

/// A kernel of a device. `kernel(n, a, x)` launches it; its arguments are numbers, memory, and arrays that the device
/// can use in place.
#[pyclass(frozen, module = "ferrocca", name = "Kernel")]
pub(crate) struct PyKernel {
    kernel: Kernel,
}

impl PyKernel {
    pub(crate) fn new(kernel: Kernel) -> Self {
        Self { kernel }
    }

    fn value(&self, position: usize, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        let Some(parameter) = self.kernel.signature().params.get(position) else {
            // One too many: the library's own check of the count names it.
            return Ok(Value::Null);
        };
        let value = match &parameter.kind {
            ParameterKind::Pointer { element, mutable, .. } => self.memory(object, element, *mutable),
            ParameterKind::Scalar(scalar) => number(object, *scalar),
            ParameterKind::Struct(layout) => {
                Err(WrongTypeError::new_err(format!("struct `{}` cannot be passed from Python", layout.name)))
            }
        };
        value.map_err(|error| {
            let place = format!("kernel `{}`: argument {} `{}`", self.kernel.name(), position + 1, parameter.name);
            raise_at(object.py(), &place, error)
        })
    }

    fn memory(&self, object: &Bound<'_, PyAny>, parameter: &ElementType, mutable: bool) -> PyResult<Value> {
        if object.is_none() {
            return Ok(Value::Null);
        }
        let mut is_unknown = false;
        let (memory, element, read_only) = if let Ok(memory) = object.cast::<PyMemory>() {
            let view = memory.borrow().as_super().view.clone();
            (memory.get().memory.clone(), view.element, view.read_only)
        } else {
            let device = self.kernel.device();
            let foreign = import(object, &device)?;
            let (element, read_only) = (foreign.element, foreign.read_only);
            is_unknown = foreign.is_on_host();
            (wrap_foreign(&device, foreign)?, element, read_only)
        };
        if mutable && element.is_bool() && *parameter != ElementType::Scalar(Scalar::Bool) {
            return Err(WrongTypeError::new_err(
                "the kernel may write it, and not only what is true or false, but this is `bool`: make the parameter \
                 `bool *` or `const`, or give it as `uint8`",
            ));
        }
        if mutable && read_only {
            return Err(WrongValueError::new_err("the kernel may write it, and it is read-only"));
        }
        Ok(Value::Memory { memory, mutable, is_unknown })
    }
}

/// An argument that is converted, and owns what it needs for the launch.
enum Value {
    Memory {
        memory: AnyMemory,
        mutable: bool,
        /// It is an array on the host, which nothing but this launch is known to use: nobody can wait for it.
        is_unknown: bool,
    },
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f64),
    Rounded(ScalarValue),
    Null,
}

impl Value {
    /// See [`note_use`].
    fn note_use(&self) -> bool {
        matches!(self, Self::Memory { memory, .. } if note_use(memory))
    }

    fn argument(&mut self) -> Arg<'_> {
        match self {
            Self::Memory { memory, mutable: true, .. } => Arg::write(memory),
            Self::Memory { memory, mutable: false, .. } => Arg::read(memory),
            Self::Bool(value) => value.into_arg(),
            Self::Int(value) => value.into_arg(),
            Self::Unsigned(value) => value.into_arg(),
            Self::Float(value) => value.into_arg(),
            Self::Rounded(value) => value.into_arg(),
            Self::Null => Arg::null(),
        }
    }
}

/// A number. Python has one type of floats: where the kernel takes a narrower one, they are rounded to it. Everything else
/// converts only where nothing is lost, which the launch checks.
fn number(object: &Bound<'_, PyAny>, scalar: Scalar) -> PyResult<Value> {
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(object.extract()?));
    }
    let refuse =
        |what: String| Err(WrongTypeError::new_err(format!("{} takes a number, not {what}", scalar.okl_name())));
    let is_int = object.is_instance_of::<PyInt>();
    if !is_int && let Ok(shape) = object.getattr("shape") {
        if shape.len().is_ok_and(|axes| axes > 0) {
            return refuse(format!("an array of shape {shape}"));
        }
        // A truth value of an array library; it has neither of the methods below everywhere.
        if object.getattr("dtype").is_ok_and(|dtype| ElementFormat::parse(&dtype).is_ok_and(ElementFormat::is_bool)) {
            return Ok(Value::Bool(object.is_truthy()?));
        }
    }
    let index = if is_int { Ok(object.clone()) } else { object.call_method0("__index__") };
    if let Ok(index) = index {
        return integer(&index, scalar);
    }
    if object.hasattr("__float__")? {
        let value: f64 = object.call_method0("__float__")?.extract()?;
        return Ok(if scalar.is_float() {
            Value::Rounded(ScalarValue::from_float(value, scalar))
        } else {
            Value::Float(value)
        });
    }
    refuse(format!("`{}`", object.get_type().name()?))
}

/// # Errors
/// `OverflowError` where the parameter cannot hold it.
fn integer(index: &Bound<'_, PyAny>, scalar: Scalar) -> PyResult<Value> {
    let number = index.extract::<i64>().map(i128::from).or_else(|_| index.extract::<u64>().map(i128::from));
    let fits =
        |number: &i128| scalar.is_float() || ScalarValue::from_integer(*number, scalar).integer() == Some(*number);
    match number.ok().filter(fits) {
        Some(number) => Ok(i64::try_from(number).map_or(Value::Unsigned(number as u64), Value::Int)),
        None => Err(RangeError::new_err(format!("{index} does not fit `{}`", scalar.okl_name()))),
    }
}

#[pymethods]
impl PyKernel {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.kernel.name()
    }

    /// The text that the target's compiler was given.
    #[getter]
    fn source(&self) -> &str {
        self.kernel.source()
    }

    /// Its parameters, as `(name, type)`.
    #[getter]
    fn parameters(&self) -> Vec<(&str, String)> {
        self.kernel.signature().params.iter().map(|parameter| (&*parameter.name, type_of(parameter))).collect()
    }

    /// Launches it. Where a kernel may write an array, it is written in place. With an array on the host as an argument the
    /// kernel has run when this returns; without one it is queued.
    #[pyo3(signature = (*arguments))]
    fn launch(&self, py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        let values = arguments.iter().enumerate().map(|(position, object)| self.value(position, &object));
        let mut values = values.collect::<PyResult<Vec<_>>>()?;
        free_dropped(py);
        let borrowed = values.iter().filter(|value| value.note_use()).count();
        let waits = values.iter().any(|value| matches!(value, Value::Memory { is_unknown: true, .. }));
        let arguments: Vec<Arg<'_>> = values.iter_mut().map(Value::argument).collect();
        let launched = launch(py, || in_order(&self.kernel.device(), || self.kernel.launch(&arguments)));
        drop(arguments);
        drop(values);
        if borrowed > 0 {
            release_launched(py);
        }
        launched?;
        if waits {
            wait(py, |limit| self.kernel.device().stream().finish_within(limit))?;
            release_done();
        }
        Ok(())
    }

    /// As `launch`.
    #[pyo3(signature = (*arguments))]
    fn __call__(&self, py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.launch(py, arguments)
    }

    fn __repr__(&self) -> String {
        let parameters = self.parameters().into_iter().map(|(name, ty)| format!("{ty} {name}"));
        format!("ferrocca.Kernel({}({}))", self.kernel.name(), parameters.collect::<Vec<_>>().join(", "))
    }
}

/// As OKL writes it.
fn type_of(parameter: &Parameter) -> String {
    match &parameter.kind {
        ParameterKind::Scalar(scalar) => scalar.okl_name().to_owned(),
        ParameterKind::Struct(layout) => layout.name.clone(),
        ParameterKind::Pointer { element, mutable, .. } => {
            let element = match element {
                ElementType::Scalar(scalar) => scalar.okl_name(),
                ElementType::Struct(layout) => &layout.name,
            };
            format!("{}{element} *", if *mutable { "" } else { "const " })
        }
    }
}
