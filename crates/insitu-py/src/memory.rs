//! `ferrocca.Memory`: memory of a device that this program opened.

use crate::array::PyArray;
use crate::borrowed::{note_use, release_launched};
use crate::device::{PyDevice, wrap_foreign};
use crate::element::ElementFormat;
use crate::error::{OrRaise, RangeError, WrongTypeError, WrongValueError, raise_at};
use crate::graph;
use crate::import::{Foreign, import};
use crate::indexing;
use crate::number;
use crate::owner::{free_dropped, free_released};
use crate::primitives::{DevicePrimitives, allocate};
use crate::protocols;
use crate::shared::in_order;
use crate::view::View;
use ferrocca::graph::Recorder;
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::value::ScalarValue;
use ferrocca::{AnyMemory, Complex, Element, bf16, f16};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::Arc;

/// Runs the expression with `$T` the Rust type of a dtype of numbers.
macro_rules! with_type {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::memory::with_type!($dtype, $T => $body, else |layout| Err($crate::error::WrongTypeError::new_err(format!(
            "memory of structs `{}` has no type in Python",
            layout.name
        ))))
    };
    ($dtype:expr, $T:ident => $body:expr, else |$layout:ident| $other:expr) => {
        match $dtype {
            ferrocca::DType::I8 => {
                type $T = i8;
                $body
            }
            ferrocca::DType::U8 => {
                type $T = u8;
                $body
            }
            ferrocca::DType::I16 => {
                type $T = i16;
                $body
            }
            ferrocca::DType::U16 => {
                type $T = u16;
                $body
            }
            ferrocca::DType::I32 => {
                type $T = i32;
                $body
            }
            ferrocca::DType::U32 => {
                type $T = u32;
                $body
            }
            ferrocca::DType::I64 => {
                type $T = i64;
                $body
            }
            ferrocca::DType::U64 => {
                type $T = u64;
                $body
            }
            ferrocca::DType::F16 => {
                type $T = ferrocca::f16;
                $body
            }
            ferrocca::DType::BF16 => {
                type $T = ferrocca::bf16;
                $body
            }
            ferrocca::DType::F32 => {
                type $T = f32;
                $body
            }
            ferrocca::DType::F64 => {
                type $T = f64;
                $body
            }
            dtype if dtype == ferrocca::DType::COMPLEX64 => {
                type $T = ferrocca::Complex<f32>;
                $body
            }
            dtype if dtype == ferrocca::DType::COMPLEX128 => {
                type $T = ferrocca::Complex<f64>;
                $body
            }
            ferrocca::DType::Struct($layout) => $other,
        }
    };
}
pub(crate) use with_type;

/// A number that a Python caller gives.
trait FromPython: Sized {
    /// # Errors
    /// `TypeError` for what is no number, `OverflowError` for one that does not fit.
    fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

/// Where a number is refused.
const NUMBER: &str = "an element's value";

macro_rules! from_python {
    ($($ty:ty),*) => {$(
        impl FromPython for $ty {
            fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self> {
                value.extract().map_err(|error| raise_at(value.py(), NUMBER, error))
            }
        }
    )*};
}
from_python!(i8, u8, i16, u16, i32, u32, i64, u64, f64);

macro_rules! rounded_from_python {
    ($($variant:ident => $ty:ty),*) => {$(
        impl FromPython for $ty {
            fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self> {
                let number: f64 = value.extract().map_err(|error| raise_at(value.py(), NUMBER, error))?;
                match ScalarValue::from_float(number, Scalar::$variant) {
                    ScalarValue::$variant(rounded) if f64::from(rounded).is_infinite() && number.is_finite() => {
                        let name = ElementFormat::of(ferrocca::DType::$variant).map_or("", |element| element.name);
                        Err(RangeError::new_err(format!("{number:?} is too large for `{name}`")))
                    }
                    ScalarValue::$variant(rounded) => Ok(rounded),
                    other => Err(WrongTypeError::new_err(format!("`{other}` is of another type"))),
                }
            }
        }
    )*};
}
rounded_from_python!(F16 => f16, BF16 => bf16, F32 => f32);

impl FromPython for Complex<f64> {
    fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        number::complex(value).map_err(|error| raise_at(value.py(), NUMBER, error))
    }
}

impl FromPython for Complex<f32> {
    fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wide = Complex::<f64>::from_python(value)?;
        let narrow = Complex::new(wide.re as f32, wide.im as f32);
        let is_too_large = |wide: f64, narrow: f32| narrow.is_infinite() && wide.is_finite();
        if is_too_large(wide.re, narrow.re) || is_too_large(wide.im, narrow.im) {
            return Err(RangeError::new_err(format!("{value} is too large for `complex64`")));
        }
        Ok(narrow)
    }
}

/// Memory of a device.
#[pyclass(frozen, extends = PyArray, module = "ferrocca", name = "Memory")]
pub(crate) struct PyMemory {
    /// What the elements of the view lie in, without gaps at its ends.
    pub(crate) memory: AnyMemory,
    pub(crate) primitives: DevicePrimitives,
}

impl PyMemory {
    /// The Python object for memory of that type and shape, which has as many elements.
    pub(crate) fn new(
        py: Python<'_>,
        memory: AnyMemory,
        element: &'static ElementFormat,
        shape: &[i64],
        read_only: bool,
    ) -> PyResult<Py<Self>> {
        let view = View::of_memory(memory.clone(), element, shape, read_only);
        Self::of_view(py, memory, view)
    }

    /// The Python object for elements that need not lie in a row. All of them lie in the memory.
    pub(crate) fn strided(
        py: Python<'_>,
        memory: AnyMemory,
        element: &'static ElementFormat,
        places: (&[i64], &[i64], usize),
        read_only: bool,
    ) -> PyResult<Py<Self>> {
        let view = View::strided(memory.clone(), element, places, read_only);
        Self::of_view(py, memory, view)
    }

    fn of_view(py: Python<'_>, memory: AnyMemory, view: View) -> PyResult<Py<Self>> {
        make_arrays(py)?;
        let primitives = DevicePrimitives::of(&memory.device());
        let base = PyClassInitializer::from(PyArray::new(Arc::new(view)));
        Py::new(py, base.add_subclass(Self { memory, primitives }))
    }
}

/// Memory is an array by what the package's Python attaches to the class, before there is a device or memory.
pub(crate) fn make_arrays(py: Python<'_>) -> PyResult<()> {
    static ATTACHED: PyOnceLock<()> = PyOnceLock::new();
    ATTACHED.get_or_try_init(py, || py.import("ferrocca._array").map(drop)).map(drop)
}

/// The view of the base class.
pub(crate) fn view_of(slf: &PyRef<'_, PyMemory>) -> Arc<View> {
    slf.as_super().view.clone()
}

/// # Errors
/// `ValueError` for memory whose elements do not lie in a row, which is what copies and kernels take.
pub(crate) fn refuse_strides(view: &View) -> PyResult<()> {
    if view.is_contiguous() {
        return Ok(());
    }
    Err(WrongValueError::new_err(format!(
        "the elements of this memory do not lie in a row (shape {:?}, strides {:?} elements): `copy()` makes memory of which \
         they do",
        view.shape, view.strides
    )))
}

/// # Errors
/// `ValueError` for memory that is constant, or wraps a read-only array.
pub(crate) fn refuse_read_only(view: &View) -> PyResult<()> {
    if !view.read_only {
        return Ok(());
    }
    Err(WrongValueError::new_err(match view.is_constant() {
        true => "this memory is constant, and cannot be written: write a copy of it (`copy()`)",
        false => "this memory wraps a read-only array, and cannot be written",
    }))
}

/// A shape: an integer, or a sequence of them.
/// # Errors
/// `TypeError` for something else, `ValueError` for negative extents or a product that overflows.
pub(crate) fn parse_shape(object: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let shape = object.extract::<i64>().map(|extent| vec![extent]).or_else(|_| object.extract::<Vec<i64>>());
    let shape = shape.map_err(|_| WrongTypeError::new_err("a shape is an integer or a sequence of integers"))?;
    // Extents of 0 count as 1, because strides are computed from them too.
    let size = shape.iter().try_fold(1_i64, |size, &extent| size.checked_mul(extent.max(1)));
    if shape.iter().any(|&extent| extent < 0) || size.is_none() {
        return Err(WrongValueError::new_err(format!(
            "shape {shape:?} has no size: extents are not negative, and their product is a number of elements"
        )));
    }
    Ok(shape)
}

/// The number of elements of a shape.
/// # Errors
/// `ValueError` where they are too many to address.
pub(crate) fn count(shape: &[i64], element: &ElementFormat) -> PyResult<usize> {
    let (len, bytes) = (shape.iter().product::<i64>(), element.bytes);
    if len.checked_mul(bytes.into()).is_none() {
        let text = format!("{len} elements of {} ({bytes} bytes each) are too many to address", element.name);
        return Err(WrongValueError::new_err(text));
    }
    Ok(len as usize)
}

#[pymethods]
impl PyMemory {
    /// Copies from an array of the same type and size, on the host or on the memory's device, or from memory of any device
    /// that this one reaches. Between devices that do not reach each other, `via_host=True` copies by way of the host.
    #[pyo3(signature = (source, *, via_host = false))]
    fn copy_from(slf: PyRef<'_, Self>, py: Python<'_>, source: &Bound<'_, PyAny>, via_host: bool) -> PyResult<()> {
        let view = view_of(&slf);
        refuse_read_only(&view)?;
        refuse_strides(&view)?;
        if let Ok(source) = source.cast::<Self>() {
            let other = view_of(&source.borrow());
            refuse_strides(&other)?;
            same_kind(Side::of("memory", &other), Side::of("memory", &view))?;
            return copy_memory(py, &slf.memory, &source.get().memory, via_host);
        }
        let device = slf.memory.device();
        let source = import(source, &device)?;
        same_kind(Side::of_array(&source), Side::of("memory", &view))?;
        if source.is_on_host() {
            graph::refuse_writing("`copy_from` of an array on the host")?;
            note_use(&slf.memory);
            return source.copy_into(py, &mut slf.memory.clone());
        }
        copy_memory(py, &slf.memory, &wrap_foreign(&device, source)?, false)?;
        release_launched(py);
        Ok(())
    }

    /// Copies to a writable array of the same type and size, on the host or on the memory's device, or to memory of any
    /// device; `via_host` as with `copy_from`.
    #[pyo3(signature = (destination, *, via_host = false))]
    fn copy_to(slf: PyRef<'_, Self>, py: Python<'_>, destination: &Bound<'_, PyAny>, via_host: bool) -> PyResult<()> {
        let view = view_of(&slf);
        refuse_strides(&view)?;
        if let Ok(destination) = destination.cast::<Self>() {
            let other = view_of(&destination.borrow());
            refuse_strides(&other)?;
            refuse_read_only(&other)?;
            same_kind(Side::of("memory", &view), Side::of("memory", &other))?;
            return copy_memory(py, &destination.get().memory, &slf.memory, via_host);
        }
        let device = slf.memory.device();
        let mut destination = import(destination, &device)?;
        if destination.read_only {
            return Err(WrongValueError::new_err("the array that is to be written is read-only"));
        }
        same_kind(Side::of("memory", &view), Side::of_array(&destination))?;
        if destination.is_on_host() {
            graph::refuse_reading("`copy_to` an array on the host")?;
            return destination.copy_out_of(py, &slf.memory);
        }
        copy_memory(py, &wrap_foreign(&device, destination)?, &slf.memory, false)?;
        release_launched(py);
        Ok(())
    }

    /// Sets every element.
    fn fill(slf: PyRef<'_, Self>, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        fn fill<T: Element>(py: Python<'_>, memory: &AnyMemory, value: T) -> PyResult<()> {
            let record = |r: &mut Recorder| r.fill(&mut memory.typed::<T>().or_raise()?, value).or_raise();
            if graph::is_recording() && graph::record(py, &[memory], record)? {
                return Ok(());
            }
            py.detach(|| in_order(&memory.device(), || memory.typed::<T>()?.fill(value))).or_raise()
        }
        free_dropped(py);
        let (view, memory) = (view_of(&slf), &slf.memory);
        refuse_read_only(&view)?;
        refuse_strides(&view)?;
        note_use(memory);
        if !view.element.is_complex() {
            number::refuse_complex(value, &format!("memory of {}", view.element.name))?;
        }
        if view.element.is_bool() {
            let value = value.extract::<bool>().or_else(|_| f64::from_python(value).map(|number| number != 0.0))?;
            return fill(py, memory, u8::from(value));
        }
        with_type!(memory.dtype(), T => fill(py, memory, T::from_python(value)?))
    }

    /// Another handle of the same memory.
    fn share(slf: PyRef<'_, Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        let view = view_of(&slf);
        Self::strided(py, slf.memory.clone(), view.element, (&view.shape, &view.strides, view.first), view.read_only)
    }

    /// Memory of its own with the same data.
    fn duplicate(slf: PyRef<'_, Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        free_released();
        note_use(&slf.memory);
        let (memory, view) = (&slf.memory, view_of(&slf));
        refuse_strides(&view)?;
        let copy = allocate(&slf.primitives.kept(), &memory.device(), view.element, memory.len())?;
        let queue = || {
            with_type!(memory.dtype(), T => {
                in_order(&memory.device(), || copy.typed::<T>()?.copy_from_memory(&memory.typed::<T>()?)).or_raise()
            })
        };
        py.detach(queue)?;
        Self::new(py, copy, view.element, &view.shape, false)
    }

    /// `memory[index]` is memory that shares where the index is of integers, slices, `...` and `None`, and a copy of the
    /// elements where it has masks or arrays of indices.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        indexing::get(slf, index)
    }

    /// Assigns memory, an array on the host, or a number, which is repeated.
    fn __setitem__(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        indexing::set(slf, index, value)
    }

    /// The same memory by other strides, in elements, from the element `first` on.
    fn _strided(
        slf: PyRef<'_, Self>,
        py: Python<'_>,
        shape: Vec<i64>,
        strides: Vec<i64>,
        first: i64,
    ) -> PyResult<Py<Self>> {
        indexing::strided(py, &slf, &shape, &strides, first)
    }

    /// Memory of a shape and type on the same device; its contents are unspecified.
    fn _empty(
        slf: PyRef<'_, Self>,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
    ) -> PyResult<Py<Self>> {
        free_dropped(py);
        let (shape, element) = (parse_shape(shape)?, ElementFormat::parse(dtype)?);
        let memory = allocate(&slf.primitives.kept(), &slf.memory.device(), element, count(&shape, element)?)?;
        Self::new(py, memory, element, &shape, false)
    }

    /// The same bytes as elements of another type of the same size, `bool` and `uint8` say.
    fn _view_as(slf: PyRef<'_, Self>, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let (view, element) = (view_of(&slf), ElementFormat::parse(dtype)?);
        if element.dtype != view.element.dtype {
            return Err(WrongTypeError::new_err(format!("{} is no {}", view.element.name, element.name)));
        }
        Self::strided(py, slf.memory.clone(), element, (&view.shape, &view.strides, view.first), view.read_only)
    }

    /// The real parts of complex numbers in place, or the imaginary ones.
    fn _part(slf: PyRef<'_, Self>, py: Python<'_>, imaginary: bool) -> PyResult<Py<Self>> {
        let view = view_of(&slf);
        let Some(part) = view.element.dtype.complex_of() else {
            return Err(WrongTypeError::new_err(format!("{} has no parts", view.element.name)));
        };
        let element = ElementFormat::of(part.into())?;
        let places = indexing::Places {
            shape: view.shape.to_vec(),
            strides: view.strides.iter().map(|stride| 2 * stride).collect(),
            first: 2 * view.first as i64 + i64::from(imaginary),
        };
        let parts = slf.memory.cast(element.dtype).or_raise()?;
        indexing::within(py, &parts, element, &places, view.read_only)
    }

    /// Whether the elements lie in a row.
    #[getter]
    fn _is_contiguous(slf: PyRef<'_, Self>) -> bool {
        view_of(&slf).is_contiguous()
    }

    /// The number of the first element in what kernels get as raw memory.
    #[getter]
    fn _first(slf: PyRef<'_, Self>) -> usize {
        view_of(&slf).first
    }

    /// The device that it belongs to.
    #[getter]
    fn _device(slf: PyRef<'_, Self>) -> PyDevice {
        PyDevice::of(slf.memory.device())
    }

    /// Whether it is that device's.
    fn _is_of(slf: PyRef<'_, Self>, device: &PyDevice) -> bool {
        slf.memory.device() == *device.device()
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("ferrocca.Memory({})", protocols::describe(&slf.as_super().view))
    }
}

/// Copies between memory of the same type and size.
fn copy_memory(py: Python<'_>, destination: &AnyMemory, source: &AnyMemory, via_host: bool) -> PyResult<()> {
    let record = |r: &mut Recorder| {
        with_type!(destination.dtype(), T => {
            let (mut destination, source) = (destination.typed::<T>().or_raise()?, source.typed::<T>().or_raise()?);
            r.copy(&mut destination, &source).or_raise()
        })
    };
    if graph::is_recording() && graph::record(py, &[destination, source], record)? {
        return Ok(());
    }
    free_dropped(py);
    note_use(destination);
    note_use(source);
    let copy = || {
        with_type!(destination.dtype(), T => {
            let copied = in_order(&destination.device(), || {
                let (mut destination, source) = (destination.typed::<T>()?, source.typed::<T>()?);
                if via_host { destination.copy_from_memory_via_host(&source) } else { destination.copy_from_memory(&source) }
            });
            copied.or_raise()
        })
    };
    py.detach(copy)
}

/// One side of a copy.
struct Side {
    /// `memory` or `array`, as a program would call it.
    name: &'static str,
    element: &'static ElementFormat,
    len: usize,
}

impl Side {
    fn of(name: &'static str, view: &View) -> Self {
        Self { name, element: view.element, len: view.size() }
    }

    fn of_array(array: &Foreign) -> Self {
        Self { name: "array", element: array.element, len: array.len() }
    }

    fn article(&self) -> &'static str {
        if self.name == "array" { "an array" } else { self.name }
    }
}

/// # Errors
/// `TypeError` where the two sides have elements of different types, `ValueError` where they have different sizes.
fn same_kind(source: Side, destination: Side) -> PyResult<()> {
    let (from, to) = (source.element.name, destination.element.name);
    if from != to {
        let remedy = match destination.name {
            "array" => format!("give an array of {from}"),
            _ => format!("copy `{}.astype(\"{to}\")`", source.name),
        };
        return Err(WrongTypeError::new_err(format!(
            "cannot copy elements of {from} to {} of {to}: {remedy}",
            destination.article()
        )));
    }
    if source.len != destination.len {
        let (from, to, count) = (source.name, destination.name, source.len.min(destination.len));
        let remedy = match source.len < destination.len {
            true => format!("for a part of the {to}, take `{to}[:{count}]`"),
            false => format!("for a part of the {from}, take `{from}[:{count}]`"),
        };
        return Err(WrongValueError::new_err(format!(
            "cannot copy {} elements to {} of {}: {remedy}",
            source.len,
            destination.article(),
            destination.len
        )));
    }
    Ok(())
}
