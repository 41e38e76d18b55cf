//! `ferrocca.Memory`: memory of a device that this program opened.

use crate::array::PyArray;
use crate::borrowed::{note_use, release_launched};
use crate::device::wrap_foreign;
use crate::element::ElementFormat;
use crate::error::{OrRaise, OutOfBoundsError, RangeError, WrongTypeError, WrongValueError, raise_at};
use crate::import::import;
use crate::owner::{free_dropped, free_released};
use crate::protocols;
use crate::shared::in_order;
use crate::view::View;
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::value::ScalarValue;
use ferrocca::{AnyMemory, Element, bf16, f16};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use std::sync::Arc;

/// Runs the expression with `$T` the Rust type of a dtype of numbers.
macro_rules! with_type {
    ($dtype:expr, $T:ident => $body:expr) => {
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
            ferrocca::DType::Struct(layout) => Err($crate::error::WrongTypeError::new_err(format!(
                "memory of structs `{}` has no type in Python",
                layout.name
            ))),
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

/// Memory of a device.
#[pyclass(frozen, extends = PyArray, module = "ferrocca", name = "Memory")]
pub(crate) struct PyMemory {
    pub(crate) memory: AnyMemory,
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
        let view = Arc::new(View::of_memory(memory.clone(), element, shape, read_only));
        Py::new(py, PyClassInitializer::from(PyArray::new(view)).add_subclass(Self { memory }))
    }

    /// Elements `start..end`.
    fn range(&self, start: usize, end: usize) -> PyResult<AnyMemory> {
        fn range<T: Element>(memory: &AnyMemory, start: usize, end: usize) -> ferrocca::Result<AnyMemory> {
            memory.typed::<T>()?.slice(start..end).map(ferrocca::Memory::into_untyped)
        }
        with_type!(self.memory.dtype(), T => range::<T>(&self.memory, start, end).or_raise())
    }
}

/// The view of the base class.
fn view_of(slf: &PyRef<'_, PyMemory>) -> Arc<View> {
    slf.as_super().view.clone()
}

/// # Errors
/// `ValueError` for memory that wraps a read-only array.
pub(crate) fn refuse_read_only(view: &View) -> PyResult<()> {
    if view.read_only {
        return Err(WrongValueError::new_err("this memory wraps a read-only array, and cannot be written"));
    }
    Ok(())
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
        if let Ok(source) = source.cast::<Self>() {
            let other = view_of(&source.borrow());
            same_kind(&view, "the other side", other.element, other.bytes())?;
            return copy_memory(py, &slf.memory, &source.get().memory, via_host);
        }
        let device = slf.memory.device();
        let source = import(source, &device)?;
        same_kind(&view, "array of", source.element, source.bytes())?;
        if source.is_on_host() {
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
        if let Ok(destination) = destination.cast::<Self>() {
            let other = view_of(&destination.borrow());
            refuse_read_only(&other)?;
            same_kind(&view, "the other side", other.element, other.bytes())?;
            return copy_memory(py, &destination.get().memory, &slf.memory, via_host);
        }
        let device = slf.memory.device();
        let mut destination = import(destination, &device)?;
        if destination.read_only {
            return Err(WrongValueError::new_err("the array that is to be written is read-only"));
        }
        same_kind(&view, "array of", destination.element, destination.bytes())?;
        if destination.is_on_host() {
            return destination.copy_out_of(py, &slf.memory);
        }
        copy_memory(py, &wrap_foreign(&device, destination)?, &slf.memory, false)?;
        release_launched(py);
        Ok(())
    }

    /// Sets every element.
    fn fill(slf: PyRef<'_, Self>, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        fn fill<T: Element>(py: Python<'_>, memory: &AnyMemory, value: T) -> PyResult<()> {
            py.detach(|| in_order(&memory.device(), || memory.typed::<T>()?.fill(value))).or_raise()
        }
        free_dropped(py);
        let (view, memory) = (view_of(&slf), &slf.memory);
        refuse_read_only(&view)?;
        note_use(memory);
        if view.element.is_bool() {
            let value = value.extract::<bool>().or_else(|_| f64::from_python(value).map(|number| number != 0.0))?;
            return fill(py, memory, u8::from(value));
        }
        with_type!(memory.dtype(), T => fill(py, memory, T::from_python(value)?))
    }

    /// Another handle of the same memory.
    fn share(slf: PyRef<'_, Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        let view = view_of(&slf);
        Self::new(py, slf.memory.clone(), view.element, &view.shape, view.read_only)
    }

    /// Memory of its own with the same data.
    fn duplicate(slf: PyRef<'_, Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        free_released();
        note_use(&slf.memory);
        let (memory, view) = (&slf.memory, view_of(&slf));
        let copy = py.detach(|| in_order(&memory.device(), || memory.duplicate())).or_raise()?;
        Self::new(py, copy, view.element, &view.shape, false)
    }

    /// The same memory in another shape of the same size.
    #[pyo3(signature = (*shape))]
    fn reshape(slf: PyRef<'_, Self>, py: Python<'_>, shape: &Bound<'_, PyTuple>) -> PyResult<Py<Self>> {
        let view = view_of(&slf);
        let given = match shape.len() {
            1 => parse_shape(&shape.get_item(0)?)?,
            _ => parse_shape(shape.as_any())?,
        };
        if given.iter().product::<i64>() as usize != view.size() {
            return Err(WrongValueError::new_err(format!(
                "memory of {} elements cannot have the shape {given:?}",
                view.size()
            )));
        }
        Self::new(py, slf.memory.clone(), view.element, &given, view.read_only)
    }

    /// `memory[a:b]` is memory of those entries of the first axis; it shares, and keeps the whole alive.
    fn __getitem__(slf: PyRef<'_, Self>, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let view = view_of(&slf);
        let Ok(slice) = index.cast::<PySlice>() else {
            return Err(WrongTypeError::new_err("memory is indexed by slices; use `array()` to read elements"));
        };
        let Some(&extent) = view.shape.first() else {
            return Err(OutOfBoundsError::new_err("memory without axes cannot be sliced"));
        };
        let indices = slice.indices(extent as isize)?;
        if indices.step != 1 {
            return Err(OutOfBoundsError::new_err("slices of memory must have step 1"));
        }
        let (start, count) = (indices.start as usize, indices.slicelength);
        let row: i64 = view.shape[1..].iter().product();
        let row = row as usize;
        let mut shape = view.shape.to_vec();
        shape[0] = count as i64;
        Self::new(py, slf.range(start * row, (start + count) * row)?, view.element, &shape, view.read_only)
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("ferrocca.Memory({})", protocols::describe(&slf.as_super().view))
    }
}

/// Copies between memory of the same type and size.
fn copy_memory(py: Python<'_>, destination: &AnyMemory, source: &AnyMemory, via_host: bool) -> PyResult<()> {
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

/// # Errors
/// `TypeError` where what is named `other` has elements of another type, `ValueError` where it has another size.
fn same_kind(view: &View, other: &str, element: &ElementFormat, bytes: usize) -> PyResult<()> {
    if !std::ptr::eq(view.element, element) {
        return Err(WrongTypeError::new_err(format!("memory of {}, {other} {}", view.element.name, element.name)));
    }
    if view.bytes() != bytes {
        let count = bytes / usize::from(element.bytes);
        return Err(WrongValueError::new_err(format!("memory of {} elements, {other} {count}", view.size())));
    }
    Ok(())
}
