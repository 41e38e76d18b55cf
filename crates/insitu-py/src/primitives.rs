//! The primitives of devices, for operations on memory: one set per stream, kept while Python has the device or memory of it.
//!
//! Operands are memory of any strides, and numbers; what a kernel cannot read in place is refused, never copied.

use crate::borrowed::{note_use_on, release_launched};
use crate::element::ElementFormat;
use crate::error::{OrRaise, RangeError, WrongTypeError, WrongValueError, raise_allocating};
use crate::graph;
use crate::interrupt::launch;
use crate::memory::{PyMemory, view_of, with_type};
use crate::number::{complex, refuse_complex};
use crate::owner::{free_dropped, release_later};
use crate::reuse::Kept;
use crate::shared::in_order;
use crate::view::View;
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::value::ScalarValue;
use ferrocca::primitives::{Formula, Operand, Prepared, Primitives, ValueType};
use ferrocca::{AnyMemory, Arg, Complex, Device, IntoArg, Stream};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The primitives on each stream of a device that asked for them, what is ready to be launched again, and the memory that arrays
/// have let go.
#[derive(Default)]
struct OnStreams {
    primitives: Mutex<Vec<Arc<Primitives>>>,
    prepared: Mutex<HashMap<PreparedKey, Vec<Arc<Prepared>>>>,
    kept: Arc<Kept>,
}

/// What says which kernel is meant, where all operands lie in a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PreparedKey {
    /// The number of the statements.
    pub(crate) statements: u64,
    /// A bit for each input that is a number.
    pub(crate) numbers: u64,
}

/// A share in a device's primitives. What they keep is given back where memory is, by the last one.
pub(crate) struct DevicePrimitives(Option<Arc<OnStreams>>);

/// By the numbers of devices. That of one that is gone may be another's again; then nothing is left here to be found.
static DEVICES: Mutex<Vec<(usize, Weak<OnStreams>)>> = Mutex::new(Vec::new());

impl DevicePrimitives {
    pub(crate) fn of(device: &Device) -> Self {
        let number = Arc::as_ptr(device.backend()).cast::<u8>() as usize;
        let mut devices = lock(&DEVICES);
        let known = devices.iter().find(|(known, _)| *known == number).and_then(|(_, shared)| shared.upgrade());
        let shared = known.unwrap_or_else(|| {
            devices.retain(|(known, shared)| *known != number && shared.strong_count() > 0);
            let shared = Arc::<OnStreams>::default();
            devices.push((number, Arc::downgrade(&shared)));
            shared
        });
        Self(Some(shared))
    }

    /// Those on the calling thread's current stream.
    fn on(&self, stream: &Stream) -> Arc<Primitives> {
        let Some(shared) = &self.0 else {
            return Arc::new(Primitives::on(stream));
        };
        let mut all = lock(&shared.primitives);
        if let Some(known) = all.iter().find(|known| known.stream() == stream) {
            return known.clone();
        }
        let new = Arc::new(Primitives::on(stream));
        all.push(new.clone());
        new
    }

    /// What was launched before on a stream.
    pub(crate) fn prepared(&self, key: PreparedKey, stream: &Stream) -> Option<Arc<Prepared>> {
        let all = lock(&self.0.as_ref()?.prepared);
        all.get(&key)?.iter().find(|known| known.stream() == stream).cloned()
    }

    /// Keeps what was launched, for the same on its stream.
    pub(crate) fn keep(&self, key: PreparedKey, prepared: Prepared) {
        if let Some(shared) = &self.0 {
            let mut all = lock(&shared.prepared);
            let on_streams = all.entry(key).or_default();
            on_streams.retain(|known| known.stream() != prepared.stream());
            on_streams.push(Arc::new(prepared));
        }
    }

    /// What arrays have let go.
    pub(crate) fn kept(&self) -> Arc<Kept> {
        self.0.as_ref().map(|shared| shared.kept.clone()).unwrap_or_default()
    }
}

impl Drop for DevicePrimitives {
    fn drop(&mut self) {
        if let Some(last) = self.0.take().and_then(Arc::into_inner) {
            release_later(last);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that may panic runs under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An operand that Python gave.
pub(crate) enum Given {
    Memory { memory: AnyMemory, view: Arc<View> },
    Number(ScalarValue),
    Complex64(Complex<f32>),
    Complex128(Complex<f64>),
}

impl Given {
    /// Memory, or a number that becomes one of the type `number`.
    pub(crate) fn new(object: &Bound<'_, PyAny>, number: Option<ValueType>) -> PyResult<Self> {
        if let Ok(memory) = object.cast::<PyMemory>() {
            let borrowed = memory.borrow();
            return Ok(Self::Memory { memory: borrowed.memory.clone(), view: view_of(&borrowed) });
        }
        match number {
            None => Err(WrongTypeError::new_err(format!("`{}` is not memory", object.get_type().name()?))),
            Some(ValueType::Real(scalar)) => number_of(object, scalar).map(Self::Number),
            Some(ValueType::Complex64) => {
                complex(object).map(|of| Self::Complex64(Complex::new(of.re as f32, of.im as f32)))
            }
            Some(ValueType::Complex128) => complex(object).map(Self::Complex128),
        }
    }

    /// What a kernel takes that reads all of it.
    pub(crate) fn argument(&self) -> Arg<'_> {
        match self {
            Self::Number(number) => (*number).into_arg(),
            Self::Complex64(number) => number.into_arg(),
            Self::Complex128(number) => number.into_arg(),
            Self::Memory { memory, .. } => Arg::read(memory),
        }
    }

    pub(crate) fn operand(&self) -> PyResult<Operand<'_>> {
        match self {
            Self::Number(number) => Ok((*number).into()),
            Self::Complex64(number) => Ok(number.into()),
            Self::Complex128(number) => Ok(number.into()),
            Self::Memory { memory, view } => place(memory, view),
        }
    }
}

/// Where the elements of a view lie.
pub(crate) fn place<'a>(memory: &'a AnyMemory, view: &View) -> PyResult<Operand<'a>> {
    let lengths: SmallVec<[usize; 8]> = view.shape.iter().map(|&length| length as usize).collect();
    let strides: SmallVec<[isize; 8]> = view.strides.iter().map(|&stride| stride as isize).collect();
    Operand::strided(memory, view.first, &lengths, &strides).or_raise()
}

/// # Errors
/// `OverflowError` for an integer that the type does not hold, `TypeError` for what is no number.
pub(crate) fn number_of(object: &Bound<'_, PyAny>, scalar: Scalar) -> PyResult<ScalarValue> {
    if scalar.is_integer() || scalar == Scalar::Bool {
        if object.is_instance_of::<PyBool>() {
            return Ok(ScalarValue::from_integer(i128::from(object.extract::<bool>()?), scalar));
        }
        let number = object.extract::<i64>().map(i128::from).or_else(|_| object.extract::<u64>().map(i128::from));
        let number = number.ok().map(|number| (number, ScalarValue::from_integer(number, scalar)));
        return match number {
            Some((number, value)) if value.integer() == Some(number) => Ok(value),
            _ => Err(RangeError::new_err(format!("{object} does not fit `{}`", scalar.okl_name()))),
        };
    }
    refuse_complex(object, scalar.okl_name())?;
    match object.extract::<f64>() {
        Ok(number) => Ok(ScalarValue::from_float(number, scalar)),
        Err(_) => {
            Err(WrongTypeError::new_err(format!("`{}` is neither memory nor a number", object.get_type().name()?)))
        }
    }
}

/// The operands of an operation, on one device.
pub(crate) struct Operands {
    pub(crate) given: SmallVec<[Given; 4]>,
    pub(crate) device: Device,
    pub(crate) primitives: Arc<Primitives>,
    kept: Arc<Kept>,
}

/// Names of operands in formulas.
pub(crate) const NAMES: [&str; 16] =
    ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15"];

impl Operands {
    /// Numbers become such of the type `number`; the device is that of the first memory, `out` before all.
    pub(crate) fn new(
        operands: &Bound<'_, PyTuple>,
        number: Option<&Bound<'_, PyAny>>,
        out: Option<&PyRef<'_, PyMemory>>,
    ) -> PyResult<Self> {
        let number = number.map(ElementFormat::parse).transpose()?.and_then(|element| ValueType::of(element.dtype));
        let owner_of = |memory: &PyMemory| {
            let device = memory.memory.device();
            let primitives = memory.primitives.on(&device.stream());
            (device, primitives, memory.primitives.kept())
        };
        let mut owner = out.map(|out| owner_of(out));
        let mut given = SmallVec::new();
        if operands.len() > NAMES.len() {
            return Err(WrongValueError::new_err(format!("more than {} operands", NAMES.len())));
        }
        for object in operands {
            if let (None, Ok(memory)) = (&owner, object.cast::<PyMemory>()) {
                owner = Some(owner_of(memory.get()));
            }
            given.push(Given::new(&object, number)?);
        }
        let Some((device, primitives, kept)) = owner else {
            return Err(WrongTypeError::new_err("an operation needs memory: of numbers alone Python computes it"));
        };
        Ok(Self { given, device, primitives, kept })
    }

    /// Those that were converted, on the device of `owner`.
    pub(crate) fn of(given: SmallVec<[Given; 4]>, owner: &PyMemory) -> Self {
        let device = owner.memory.device();
        let primitives = owner.primitives.on(&device.stream());
        Self { given, device, primitives, kept: owner.primitives.kept() }
    }

    /// The shape that all of them are repeated to.
    pub(crate) fn shape(&self) -> PyResult<Vec<i64>> {
        broadcast(self.given.iter().filter_map(|given| match given {
            Given::Memory { view, .. } => Some(view.clone()),
            _ => None,
        }))
    }

    /// The formula of a text in their names, `x0`, `x1` ….
    pub(crate) fn formula<'a>(&'a self, text: &'a str) -> PyResult<Formula<'a>> {
        let mut formula = Formula::new(text);
        for (given, name) in self.given.iter().zip(NAMES) {
            formula = formula.with(name, given.operand()?);
        }
        Ok(formula)
    }

    /// Memory of the device; its contents are unspecified.
    pub(crate) fn allocate(&self, element: &'static ElementFormat, len: usize) -> PyResult<AnyMemory> {
        with_type!(element.dtype, T => {
            let made = self.kept.malloc_on::<T>(self.primitives.stream(), len);
            made.map_err(|error| raise_allocating(error, len, element))
        })
    }

    /// Queues what `work` asks the primitives for.
    pub(crate) fn queue<'a>(
        &'a self,
        py: Python<'_>,
        out: &[&AnyMemory],
        work: impl FnOnce(&'a Primitives) -> ferrocca::Result<()> + Send,
    ) -> PyResult<()> {
        if graph::is_recording() {
            return Err(WrongValueError::new_err(
                "operations on memory cannot be recorded in a graph: launches of kernels, copies and fills can",
            ));
        }
        free_dropped(py);
        let memories = self.given.iter().filter_map(|given| match given {
            Given::Memory { memory, .. } => Some(memory),
            _ => None,
        });
        let borrowed =
            memories.chain(out.iter().copied()).filter(|memory| note_use_on(memory, self.primitives.stream())).count();
        let launched = launch(py, || in_order(&self.device, || work(&self.primitives)));
        if borrowed > 0 {
            release_launched(py);
        }
        launched
    }
}

/// Memory of the device, what arrays have let go first; its contents are unspecified.
pub(crate) fn allocate(
    kept: &Arc<Kept>,
    device: &Device,
    element: &'static ElementFormat,
    len: usize,
) -> PyResult<AnyMemory> {
    with_type!(element.dtype, T => {
        kept.malloc::<T>(device, len).map_err(|error| raise_allocating(error, len, element))
    })
}

/// The shape that views are repeated to.
/// # Errors
/// `ValueError` where they do not fit each other.
pub(crate) fn broadcast(views: impl Iterator<Item = Arc<View>> + Clone) -> PyResult<Vec<i64>> {
    let mut shape: Vec<i64> = Vec::new();
    for view in views.clone() {
        if view.shape.len() > shape.len() {
            shape.splice(0..0, std::iter::repeat_n(1, view.shape.len() - shape.len()));
        }
        let skipped = shape.len() - view.shape.len();
        for (whole, own) in shape[skipped..].iter_mut().zip(&view.shape) {
            *whole = match (*whole, *own) {
                (whole, own) if whole == own || own == 1 => whole,
                (1, own) => own,
                _ => {
                    let shapes: Vec<String> = views.map(|view| format!("{:?}", view.shape)).collect();
                    let text = format!("the shapes {} do not fit each other", shapes.join(" and "));
                    return Err(WrongValueError::new_err(text));
                }
            };
        }
    }
    Ok(shape)
}

/// Whether the elements of two views may be the same memory, other than each being that of the same index.
pub(crate) fn overlap(a: (&AnyMemory, &View), b: (&AnyMemory, &View)) -> bool {
    let range = |memory: &AnyMemory| {
        let address = memory.ptr() as u64;
        let start = if address == 0 { memory.offset_bytes() as u64 } else { address };
        let handle = if address == 0 { memory.handle() } else { None };
        (handle, start, start + memory.bytes() as u64)
    };
    let ((handle, start, end), (other, from, to)) = (range(a.0), range(b.0));
    let same = || start == from && a.1.first == b.1.first && a.1.shape == b.1.shape && a.1.strides == b.1.strides;
    handle == other && start < to && from < end && !same()
}

/// Why memory of structs is no operand.
pub(crate) fn of_structs(name: &str) -> ferrocca::Error {
    ferrocca::Error::invalid(format!("memory of structs `{name}` has no numbers"))
}
