//! `ferrocca.Kernel`: launches with Python's values.

use crate::borrowed::{note_use, release_launched};
use crate::device::wrap_foreign;
use crate::error::{Error, OrRaise};
use crate::import::import;
use crate::memory::PyMemory;
use crate::shared::in_order;
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::signature::{ElementType, Parameter, ParameterKind};
use ferrocca::okl::value::ScalarValue;
use ferrocca::{AnyMemory, Arg, IntoArg, Kernel};
use pyo3::exceptions::PyTypeError;
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
            ParameterKind::Pointer { mutable, .. } => self.memory(object, *mutable),
            ParameterKind::Scalar(scalar) => number(object, *scalar),
            ParameterKind::Struct(layout) => {
                Err(PyTypeError::new_err(format!("struct `{}` cannot be passed from Python", layout.name)))
            }
        };
        value.map_err(|error| {
            let py = object.py();
            let text = format!("argument {} `{}`: {}", position + 1, parameter.name, error.value(py));
            let worded = Error::new_err(format!("kernel `{}`: {text}", self.kernel.name()));
            worded.set_cause(py, Some(error));
            worded
        })
    }

    fn memory(&self, object: &Bound<'_, PyAny>, mutable: bool) -> PyResult<Value> {
        if object.is_none() {
            return Ok(Value::Null);
        }
        let (memory, read_only) = if let Ok(memory) = object.cast::<PyMemory>() {
            (memory.get().memory.clone(), memory.borrow().as_super().view.read_only)
        } else {
            let device = self.kernel.device();
            let (memory, _, read_only) = wrap_foreign(&device, import(object, &device)?)?;
            (memory, read_only)
        };
        if mutable && read_only {
            return Err(PyTypeError::new_err("the kernel may write it, and it is read-only"));
        }
        Ok(Value::Memory { memory, mutable })
    }
}

/// An argument that is converted, and owns what it needs for the launch.
enum Value {
    Memory { memory: AnyMemory, mutable: bool },
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
            Self::Memory { memory, mutable: true } => Arg::write(memory),
            Self::Memory { memory, mutable: false } => Arg::read(memory),
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
    if object.is_instance_of::<PyInt>() || object.hasattr("__index__")? {
        return object.extract().map(Value::Int).or_else(|_| object.extract().map(Value::Unsigned));
    }
    if object.hasattr("__float__")? {
        let value: f64 = object.call_method0("__float__")?.extract()?;
        return Ok(if scalar.is_float() {
            Value::Rounded(ScalarValue::from_float(value, scalar))
        } else {
            Value::Float(value)
        });
    }
    Err(PyTypeError::new_err(format!("{} takes a number, not `{}`", scalar.okl_name(), object.get_type().name()?)))
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

    /// Launches it. Where a kernel may write an array, it is written in place.
    #[pyo3(signature = (*arguments))]
    fn launch(&self, py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        let values = arguments.iter().enumerate().map(|(position, object)| self.value(position, &object));
        let mut values = values.collect::<PyResult<Vec<_>>>()?;
        let borrowed = values.iter().filter(|value| value.note_use()).count();
        let arguments: Vec<Arg<'_>> = values.iter_mut().map(Value::argument).collect();
        let launched = py.detach(|| in_order(&self.kernel.device(), || self.kernel.launch(&arguments))).or_raise();
        if borrowed > 0 {
            drop(arguments);
            drop(values);
            release_launched(py);
        }
        launched
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
