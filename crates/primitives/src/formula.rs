//! What a primitive reads: an expression of the kernel language over memory and numbers.

use crate::shape::{AXES, LOOPS, Shape, last};
use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Arg, Complex, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use okl::value::ScalarValue;
use smallvec::SmallVec;

/// An expression over memory and numbers, computed for each element inside of the kernel that needs it: `sum(cos(a * b))`
/// is one kernel that reads `a` and `b` once.
///
/// [`formula!`](crate::formula) makes one of a text; a `&Memory` is the formula of its own elements. The text is an
/// expression of the kernel language in the names of the operands, and `index`, the element's number. It is computed as C
/// does, in the types of the operands; a `half` is computed with as a `float`.
///
/// Operands are repeated as in NumPy: their axes are counted from the last one, an axis of one element takes the length of the
/// others', and one that is missing has one element. `(&memory, [rows, 1])` gives memory a shape; without one it has one axis.
/// Elements are counted row by row. Where some operands do not lie in a row, no more than four axes may be left once
/// neighbours are made one that all operands pass through in a row.
///
/// Memory of one element is the same for all elements, and so is a number. A number may change from call to call; another
/// text or another type is another kernel, which is built once.
#[derive(Clone, Debug)]
pub struct Formula<'a> {
    text: &'a str,
    operands: SmallVec<[(&'a str, Operand<'a>); 4]>,
}

/// An operand of a [`Formula`]: made of `&Memory<T>`, `&AnyMemory`, `(&Memory<T>, [rows, columns])`, of numbers and of
/// `&Complex<T>`; or [`Operand::strided`].
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    kind: Kind<'a>,
    shape: Shape,
    strides: [isize; AXES],
    /// The number of the first element.
    first: usize,
}

/// How a kernel reads some operands of one shape.
pub(crate) enum Reading {
    /// Element `i` of each, or its only one.
    Flat,
    /// By the strides along up to four axes.
    Shaped { dims: [usize; LOOPS], strides: SmallVec<[[isize; LOOPS]; 4]> },
}

impl Reading {
    /// The strides of each operand; none where it is flat.
    pub(crate) fn strides(&self) -> std::slice::Iter<'_, [isize; LOOPS]> {
        match self {
            Self::Flat => [].iter(),
            Self::Shaped { strides, .. } => strides.iter(),
        }
    }

    /// Of operands that are repeated to `shape`.
    pub(crate) fn of<'a>(shape: Shape, operands: impl Iterator<Item = Operand<'a>> + Clone) -> Result<Self> {
        let n = shape.len();
        if operands.clone().all(|operand| operand.is_flat(n)) {
            return Ok(Self::Flat);
        }
        let mut shape = shape;
        let mut strides: SmallVec<[[isize; AXES]; 4]> = operands.map(|operand| operand.strides).collect();
        shape.merge_axes(&mut strides);
        Ok(Self::Shaped { dims: shape.loops()?, strides: strides.iter().map(last).collect() })
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    /// All elements, in a row.
    Memory(&'a AnyMemory),
    Strided(&'a AnyMemory),
    Number(ScalarValue),
    Complex64(&'a Complex<f32>),
    Complex128(&'a Complex<f64>),
}

/// A [`Formula`] of a text and its operands: `formula!("a * x + y", a = 2.0, x = &x, y = &y)`.
#[macro_export]
macro_rules! formula {
    ($text:expr $(, $name:ident = $operand:expr)* $(,)?) => {
        $crate::Formula::new($text)$(.with(stringify!($name), $operand))*
    };
}

impl<'a> Formula<'a> {
    /// An expression whose operands [`with`](Self::with) names.
    pub fn new(text: &'a str) -> Self {
        Self { text, operands: SmallVec::new() }
    }

    /// The same with one more operand.
    #[must_use]
    pub fn with(mut self, name: &'a str, operand: impl Into<Operand<'a>>) -> Self {
        self.operands.push((name, operand.into()));
        self
    }

    /// The expression.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// A copy with one more operand, which need not live as long as the others.
    pub(crate) fn extended<'b>(&self, name: &'b str, operand: impl Into<Operand<'b>>) -> Formula<'b>
    where
        'a: 'b,
    {
        self.copy().with(name, operand)
    }

    /// A copy that need not live as long.
    pub(crate) fn copy<'b>(&self) -> Formula<'b>
    where
        'a: 'b,
    {
        self.operands().fold(Formula::new(self.text), |copy, (name, operand)| copy.with(name, operand))
    }

    pub(crate) fn operands(&self) -> impl Iterator<Item = (&'a str, Operand<'a>)> + Clone + '_ {
        self.operands.iter().copied()
    }

    /// The shape that all operands are repeated to.
    pub(crate) fn shape(&self) -> Result<Shape> {
        let mut shape = Shape::scalar();
        for (name, operand) in self.operands() {
            operand.check(name)?;
            shape = shape.broadcast(&operand.shape).map_err(|error| error.while_doing(format!("operand `{name}`")))?;
        }
        Ok(shape)
    }

    /// How many elements it has.
    pub(crate) fn len(&self) -> Result<usize> {
        let shape = self.shape()?;
        shape.len().ok_or_else(|| Error::out_of_bounds(format!("the shape {shape} has too many elements")))
    }

    /// The highest number that it counts elements or places with: `len`, or the longest memory.
    pub(crate) fn reach(&self, len: usize) -> usize {
        self.operands().filter_map(|(_, operand)| operand.memory()).map(AnyMemory::len).fold(len, usize::max)
    }

    /// How a kernel reads it, element by element.
    pub(crate) fn reading(&self) -> Result<Reading> {
        Reading::of(self.shape()?, self.operands().map(|(_, operand)| operand))
    }

    /// The type in which C computes with all operands: the widest, and no narrower than `int`.
    pub(crate) fn promoted(&self) -> Result<ValueType> {
        let mut widest = ValueType::Real(Scalar::I32);
        for (name, operand) in self.operands() {
            widest = widest.common(operand.ty(name)?);
        }
        Ok(widest)
    }

    /// Whether an operand is of complex numbers.
    pub(crate) fn is_complex(&self) -> Result<bool> {
        self.promoted().map(ValueType::is_complex)
    }
}

impl<'a> Operand<'a> {
    /// Elements of memory that do not lie in a row: `lengths` along the axes, slowest first, and `strides`, elements from
    /// one to the next along each, which may be negative, or 0. `first` is the number of the element at index 0 of all axes.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] where an element is not in the memory;
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of strides than lengths;
    /// [`ferrocca_core::ErrorKind::Unsupported`] for more than eight axes.
    pub fn strided(memory: &'a AnyMemory, first: usize, lengths: &[usize], strides: &[isize]) -> Result<Self> {
        let shape = Shape::checked(lengths)?;
        if strides.len() != lengths.len() {
            return Err(Error::invalid(format!("{} axes have {} strides", lengths.len(), strides.len())));
        }
        let (mut low, mut high) = (first as i128, first as i128);
        for (length, stride) in lengths.iter().zip(strides) {
            let reach = (*length as i128 - 1).max(0) * *stride as i128;
            if reach < 0 { low += reach } else { high += reach }
        }
        if shape.len() != Some(0) && (low < 0 || high >= memory.len() as i128) {
            return Err(Error::out_of_bounds(format!(
                "elements {low} to {high} (shape {shape}, strides {strides:?}) of memory of {}",
                memory.len()
            )));
        }
        let mut own = [0; AXES];
        for (place, (length, stride)) in own[AXES - lengths.len()..].iter_mut().zip(lengths.iter().zip(strides)) {
            *place = if *length == 1 { 0 } else { *stride };
        }
        if first == 0 && own == shape.strides() && shape.len() == Some(memory.len()) {
            return Ok(Self { kind: Kind::Memory(memory), shape, strides: own, first: 0 });
        }
        Ok(Self { kind: Kind::Strided(memory), shape, strides: own, first })
    }

    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] where its shape is not that of its memory.
    pub(crate) fn check(&self, name: &str) -> Result<()> {
        match self.kind {
            Kind::Memory(memory) if self.shape.len() != Some(memory.len()) => {
                let (own, len) = (self.shape, memory.len());
                Err(Error::out_of_bounds(format!("`{name}` has the shape {own}, but {len} elements")))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn dense(memory: &'a AnyMemory, shape: Shape) -> Self {
        Self { kind: Kind::Memory(memory), shape, strides: shape.strides(), first: 0 }
    }

    /// Whether element `i` of `n` is that of the memory, or all are the same.
    fn is_flat(&self, n: Option<usize>) -> bool {
        match self.kind {
            Kind::Memory(memory) => Some(memory.len()) == n || memory.len() == 1,
            Kind::Strided(_) => false,
            Kind::Number(_) | Kind::Complex64(_) | Kind::Complex128(_) => true,
        }
    }

    pub(crate) fn is_strided(&self) -> bool {
        matches!(self.kind, Kind::Strided(_))
    }

    pub(crate) fn strides(&self) -> [isize; AXES] {
        self.strides
    }

    pub(crate) fn first(&self) -> usize {
        self.first
    }

    pub(crate) fn memory(self) -> Option<&'a AnyMemory> {
        match self.kind {
            Kind::Memory(memory) | Kind::Strided(memory) => Some(memory),
            Kind::Number(_) | Kind::Complex64(_) | Kind::Complex128(_) => None,
        }
    }

    pub(crate) fn argument(self) -> Arg<'a> {
        match self.kind {
            Kind::Memory(memory) | Kind::Strided(memory) => Arg::read(memory),
            Kind::Number(number) => number.into_arg(),
            Kind::Complex64(number) => number.into_arg(),
            Kind::Complex128(number) => number.into_arg(),
        }
    }

    pub(crate) fn shape(self) -> Shape {
        self.shape
    }

    /// Its type.
    pub(crate) fn ty(self, name: &str) -> Result<ValueType> {
        match self.kind {
            Kind::Number(number) => Ok(number.ty().into()),
            Kind::Complex64(_) => Ok(ValueType::Complex64),
            Kind::Complex128(_) => Ok(ValueType::Complex128),
            Kind::Memory(memory) | Kind::Strided(memory) => ValueType::of_memory(memory, name),
        }
    }
}

/// The type of an element that is a real number, which what has an order or counts something takes.
pub(crate) fn scalar_of(memory: &AnyMemory, name: &str) -> Result<Scalar> {
    match ValueType::of_memory(memory, name)? {
        ValueType::Real(scalar) => Ok(scalar),
        complex => Err(Error::invalid(format!("`{name}` is memory of {}, not of real numbers", complex.tag()))),
    }
}

/// What a number of this type is while it is computed with: a storage float is a `float`.
pub(crate) fn computed(scalar: Scalar) -> Scalar {
    if scalar.is_storage() { scalar.computes_as() } else { scalar }
}

/// The elements of memory, under the name `x`.
impl<'a, T: Element> From<&'a Memory<T>> for Formula<'a> {
    fn from(memory: &'a Memory<T>) -> Self {
        Self::new("x").with("x", memory)
    }
}

/// The elements of memory, under the name `x`.
impl<'a> From<&'a AnyMemory> for Formula<'a> {
    fn from(memory: &'a AnyMemory) -> Self {
        Self::new("x").with("x", memory)
    }
}

impl<'a, T: Element> From<&'a Memory<T>> for Operand<'a> {
    fn from(memory: &'a Memory<T>) -> Self {
        memory.untyped().into()
    }
}

impl<'a> From<&'a AnyMemory> for Operand<'a> {
    fn from(memory: &'a AnyMemory) -> Self {
        Self::dense(memory, Shape::new(&[memory.len()]))
    }
}

macro_rules! shaped_operands {
    ($($axes:literal)*) => {$(
        /// Memory whose elements have a shape: lengths along the axes, slowest first.
        impl<'a, T: Element> From<(&'a Memory<T>, [usize; $axes])> for Operand<'a> {
            fn from((memory, shape): (&'a Memory<T>, [usize; $axes])) -> Self {
                Self::dense(memory.untyped(), Shape::new(&shape))
            }
        }
    )*};
}
shaped_operands!(1 2 3 4 5 6 7 8);

impl From<ScalarValue> for Operand<'_> {
    fn from(number: ScalarValue) -> Self {
        let number = number.cast(computed(number.ty())).unwrap_or(number);
        Self { kind: Kind::Number(number), shape: Shape::scalar(), strides: [0; AXES], first: 0 }
    }
}

macro_rules! number_operands {
    ($($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {$(
        impl From<$rust> for Operand<'_> {
            fn from(number: $rust) -> Self {
                ScalarValue::from(number).into()
            }
        }
    )*};
}
okl::scalars!(number_operands);

macro_rules! complex_operands {
    ($($kind:ident: $part:ty),*) => {$(
        impl<'a> From<&'a Complex<$part>> for Operand<'a> {
            fn from(number: &'a Complex<$part>) -> Self {
                Self { kind: Kind::$kind(number), shape: Shape::scalar(), strides: [0; AXES], first: 0 }
            }
        }
    )*};
}
complex_operands!(Complex64: f32, Complex128: f64);
