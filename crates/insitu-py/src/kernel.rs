//! `ferrocca.Kernel`: launches with Python's values.

use crate::borrowed::{note_use, release_done, release_launched};
use crate::device::wrap_foreign;
use crate::element::ElementFormat;
use crate::error::{OrRaise, RangeError, WrongTypeError, WrongValueError, raise_at};
use crate::graph;
use crate::import::import;
use crate::interrupt::{launch, wait};
use crate::memory::{PyMemory, refuse_strides};
use crate::number::refuse_complex;
use crate::owner::free_dropped;
use crate::recipe::{Recipe, in_order_of};
use crate::shared::in_order;
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::signature::{ElementType, Parameter, ParameterKind, StructLayout};
use ferrocca::okl::value::ScalarValue;
use ferrocca::primitives::Xoroshiro128p;
use ferrocca::{AnyMemory, Arg, Complex, IntoArg, Kernel, KernelStruct};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyTuple};
use smallvec::SmallVec;

/// A kernel of a device. `kernel(n, a, x)` launches it; its arguments are numbers, memory, and arrays that the device
/// can use in place.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Kernel")]
pub(crate) struct PyKernel {
    kernel: Kernel,
    /// What it was built from; nothing for one of a graph.
    recipe: Option<Recipe>,
}

impl PyKernel {
    pub(crate) fn new(kernel: Kernel) -> Self {
        Self { kernel, recipe: None }
    }

    pub(crate) fn built(kernel: Kernel, recipe: Recipe) -> Self {
        Self { kernel, recipe: Some(recipe) }
    }

    /// The argument at a position, counted from 0.
    /// # Errors
    /// `TypeError`, `ValueError` and `OverflowError` for what the parameter does not take.
    pub(crate) fn value(&self, position: usize, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        let Some(parameter) = self.kernel.signature().params.get(position) else {
            // One too many: the library's own check of the count names it.
            return Ok(Value::Null);
        };
        let value = match &parameter.kind {
            ParameterKind::Pointer { element, mutable, .. } => self.memory(object, element, *mutable),
            ParameterKind::Scalar(scalar) => number(object, *scalar),
            ParameterKind::Struct(layout) => match parts_of(layout) {
                Some(parts) => complex(object, parts, &layout.name),
                None => Err(WrongTypeError::new_err(format!("struct `{}` cannot be passed from Python", layout.name))),
            },
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
            let view = &*memory.as_super().get().view;
            refuse_strides(view)?;
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
        if let ElementType::Scalar(expected) = parameter {
            check_type(element, *expected)?;
        }
        if mutable && read_only {
            let is = if memory.is_constant() { "constant" } else { "read-only" };
            return Err(WrongValueError::new_err(format!(
                "the kernel may write it, and it is {is}: pass a copy, or declare the pointer `const` in the kernel"
            )));
        }
        let memory = match parameter {
            // Generators are made as words: Python has no type for them.
            ElementType::Struct(layout) if layout.name == GENERATOR && element.dtype == ferrocca::DType::U64 => {
                memory.typed::<u64>().and_then(|words| words.cast::<Xoroshiro128p>()).or_raise()?.into_untyped()
            }
            _ => memory,
        };
        Ok(Value::Memory { memory, mutable, is_unknown })
    }
}

/// Arguments of a launch that are converted without an allocation.
const INLINE: usize = 12;

/// The struct of `<ferrocca/random.h>`.
const GENERATOR: &str = "xoroshiro128p";

/// An argument that is converted, and owns what it needs for the launch.
pub(crate) enum Value {
    Memory {
        memory: AnyMemory,
        mutable: bool,
        /// It is an array on the host, which nothing but this launch is known to use: nobody can wait for it.
        is_unknown: bool,
    },
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Rounded(ScalarValue),
    Complex64(Complex<f32>),
    Complex128(Complex<f64>),
    Null,
}

impl Value {
    fn as_memory(&self) -> Option<&AnyMemory> {
        match self {
            Self::Memory { memory, .. } => Some(memory),
            _ => None,
        }
    }

    /// See [`note_use`].
    fn note_use(&self) -> bool {
        matches!(self, Self::Memory { memory, .. } if note_use(memory))
    }

    pub(crate) fn argument(&mut self) -> Arg<'_> {
        match self {
            Self::Memory { memory, mutable: true, .. } => Arg::write(memory),
            Self::Memory { memory, mutable: false, .. } => Arg::read(memory),
            Self::Bool(value) => value.into_arg(),
            Self::Int(value) => value.into_arg(),
            Self::Unsigned(value) => value.into_arg(),
            Self::Rounded(value) => value.into_arg(),
            Self::Complex64(value) => (&*value).into_arg(),
            Self::Complex128(value) => (&*value).into_arg(),
            Self::Null => Arg::null(),
        }
    }
}

/// # Errors
/// `TypeError` where elements are not of the type of the kernel's pointer.
fn check_type(given: &ElementFormat, expected: Scalar) -> PyResult<()> {
    let dtype = ferrocca::DType::from(expected);
    if given.dtype == dtype {
        return Ok(());
    }
    let is_bool = expected == Scalar::Bool;
    let wanted = ElementFormat::find(|element| element.dtype == dtype && element.is_bool() == is_bool);
    let wanted = wanted.map_or(dtype.name(), |wanted| wanted.name);
    Err(WrongTypeError::new_err(format!(
        "the kernel has `{} *`, which takes an array of {wanted}; this is one of {}: pass `array.astype(\"{wanted}\")`, or \
         change the kernel's type",
        expected.okl_name(),
        given.name
    )))
}

/// A number. Python has one type of floats: where the kernel takes a narrower one, they are rounded to it. Everything else
/// converts only where nothing is lost, which the launch checks.
fn number(object: &Bound<'_, PyAny>, scalar: Scalar) -> PyResult<Value> {
    // Python's own first: to ask another object for what it lacks costs an exception each time.
    if let Ok(value) = object.cast::<PyFloat>() {
        return float(object.py(), value.value(), scalar);
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(object.extract()?));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object, scalar);
    }
    number_of_library(object, scalar)
}

/// # Errors
/// `TypeError` where the kernel takes an integer or a truth value: no float is cut, also a whole one.
fn float(py: Python<'_>, value: f64, scalar: Scalar) -> PyResult<Value> {
    if scalar.is_float() {
        return Ok(Value::Rounded(ScalarValue::from_float(value, scalar)));
    }
    let remedy = match scalar {
        Scalar::Bool => "pass `True` or `False`",
        _ if value.is_finite() => "pass `int(…)`",
        _ => "pass an integer",
    };
    let given = PyFloat::new(py, value).repr()?;
    Err(WrongTypeError::new_err(format!("the kernel has `{}`, and {given} is a float: {remedy}", scalar.okl_name())))
}

/// The type of the parts of a kernel's struct that is a complex number.
fn parts_of(layout: &StructLayout) -> Option<Scalar> {
    let known = [(Complex::<f32>::LAYOUT, Scalar::F32), (Complex::<f64>::LAYOUT, Scalar::F64)];
    known.into_iter().find(|(own, _)| own.name == layout.name && own.check(layout).is_ok()).map(|of| of.1)
}

/// A complex number, or a real one. As in [`number`], floats are rounded to the parameter's type, and integers are not.
/// # Errors
/// `OverflowError` for an integer that the parts cannot hold, `TypeError` for what is no number.
fn complex(object: &Bound<'_, PyAny>, parts: Scalar, name: &str) -> PyResult<Value> {
    let value = crate::number::complex(object)?;
    if object.is_instance_of::<PyInt>() {
        let held = ScalarValue::from_float(value.re, parts).float();
        if held.is_none_or(|held| !object.eq(held).unwrap_or(false)) {
            return Err(RangeError::new_err(format!("{object} does not fit `{name}`")));
        }
    }
    Ok(match parts {
        Scalar::F32 => Value::Complex64(Complex::new(value.re as f32, value.im as f32)),
        _ => Value::Complex128(value),
    })
}

/// A number of an array library, or of a class of the program's own.
fn number_of_library(object: &Bound<'_, PyAny>, scalar: Scalar) -> PyResult<Value> {
    let py = object.py();
    let refuse =
        |what: String| Err(WrongTypeError::new_err(format!("{} takes a number, not {what}", scalar.okl_name())));
    refuse_complex(object, scalar.okl_name())?;
    let mut kind = Kind::Unknown;
    if let Ok(shape) = object.getattr(intern!(py, "shape")) {
        if shape.len().is_ok_and(|axes| axes > 0) {
            return refuse(format!("an array of shape {shape}"));
        }
        kind = object.getattr(intern!(py, "dtype")).map_or(Kind::Unknown, |dtype| Kind::of(&dtype));
    }
    // It has neither of the methods below everywhere.
    if kind == Kind::Bool {
        return Ok(Value::Bool(object.is_truthy()?));
    }
    // Of a float it is asked in vain, which costs an exception.
    if kind != Kind::Float
        && let Ok(index) = object.call_method0(intern!(py, "__index__"))
    {
        return integer(&index, scalar);
    }
    if object.hasattr(intern!(py, "__float__"))? {
        let value: f64 = object.call_method0(intern!(py, "__float__"))?.extract()?;
        return float(py, value, scalar);
    }
    refuse(format!("`{}`", object.get_type().name()?))
}

/// What an array library says of the type of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Float,
    Unknown,
}

impl Kind {
    fn of(dtype: &Bound<'_, PyAny>) -> Self {
        // NumPy's letter, which others have too; what has none is known by its name.
        if let Ok(kind) = dtype.getattr(intern!(dtype.py(), "kind"))
            && let Ok(kind) = kind.extract::<PyBackedStr>()
        {
            return match &*kind {
                "b" => Self::Bool,
                "f" => Self::Float,
                _ => Self::Unknown,
            };
        }
        match ElementFormat::parse(dtype) {
            Ok(element) if element.is_bool() => Self::Bool,
            _ => Self::Unknown,
        }
    }
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

    /// With the property `tune`, a table of its builds and of the times of their launches, by the size of these; the build that
    /// launches take is marked. Else `None`.
    #[getter]
    fn tuning(&self) -> Option<String> {
        self.kernel.tuning().map(|tuning| tuning.to_string())
    }

    /// Its parameters, as `(name, type)`.
    #[getter]
    fn parameters(&self) -> Vec<(&str, String)> {
        self.kernel.signature().params.iter().map(|parameter| (&*parameter.name, type_of(parameter))).collect()
    }

    /// Launches it; in the block of a graph (`with device.record() as g`) it is recorded. Arguments go by position or by the
    /// names of parameters; another keyword is a define, with which the kernel is built once: `kernel(out, x, THREADS=192)`.
    /// Where a kernel may write an array, it is written in place. With an array on the host as an argument the kernel has run
    /// when this returns; without one it is queued.
    #[pyo3(signature = (*arguments, **keywords))]
    fn launch(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        match keywords {
            None => self.launch_in_order(py, arguments),
            Some(keywords) => self.launch_by_name(py, arguments, keywords),
        }
    }

    /// As `launch`.
    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        self.launch(py, arguments, keywords)
    }

    /// What `inspect.signature` and completion ask for: the parameters, with their OKL types as annotations.
    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inspect = py.import("inspect")?;
        let class = inspect.getattr("Parameter")?;
        let kind = class.getattr("POSITIONAL_OR_KEYWORD")?;
        let made = self.parameters().into_iter().map(|(name, ty)| {
            let keywords = PyDict::new(py);
            keywords.set_item("annotation", ty)?;
            class.call((name, &kind), Some(&keywords))
        });
        inspect.getattr("Signature")?.call1((made.collect::<PyResult<Vec<_>>>()?,))
    }

    fn __repr__(&self) -> String {
        let parameters = self.parameters().into_iter().map(|(name, ty)| format!("{ty} {name}"));
        format!("ferrocca.Kernel({}({}))", self.kernel.name(), parameters.collect::<Vec<_>>().join(", "))
    }
}

impl PyKernel {
    /// Puts arguments in the order of the parameters; what names none is a define.
    fn launch_by_name(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let (arguments, defines) = in_order_of(self.kernel.signature(), arguments, keywords)?;
        let arguments = PyTuple::new(py, arguments)?;
        if defines.is_empty() {
            return self.launch_in_order(py, &arguments);
        }
        let Some(recipe) = &self.recipe else {
            let text = format!("kernel `{}` has no parameter `{}`", self.kernel.name(), defines[0].0);
            return Err(WrongTypeError::new_err(text));
        };
        let kernel = recipe.variant(py, &self.kernel, &defines)?;
        Self::new(kernel).launch_in_order(py, &arguments)
    }

    fn launch_in_order(&self, py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        let values = arguments.iter_borrowed().enumerate().map(|(position, object)| self.value(position, &object));
        let mut values = values.collect::<PyResult<SmallVec<[Value; INLINE]>>>()?;
        free_dropped(py);
        let (mut borrows, mut waits) = (false, false);
        for value in &values {
            borrows |= value.note_use();
            waits |= matches!(value, Value::Memory { is_unknown: true, .. });
        }
        if graph::is_recording() {
            let memory: Vec<AnyMemory> = values.iter().filter_map(Value::as_memory).cloned().collect();
            let memory: Vec<&AnyMemory> = memory.iter().collect();
            let arguments: Vec<Arg<'_>> = values.iter_mut().map(Value::argument).collect();
            if graph::record_launch(py, &self.kernel, &memory, waits, |r| r.launch(&self.kernel, &arguments))? {
                return Ok(());
            }
        }
        let arguments: SmallVec<[Arg<'_>; INLINE]> = values.iter_mut().map(Value::argument).collect();
        let launched = launch(py, || in_order(&self.kernel.device(), || self.kernel.launch(&arguments)));
        drop(arguments);
        drop(values);
        if borrows {
            release_launched(py);
        }
        launched?;
        if waits {
            wait(py, |limit| self.kernel.device().stream().finish_within(limit))?;
            release_done();
        }
        Ok(())
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
