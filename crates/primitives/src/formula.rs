//! What a primitive reads: an expression of the kernel language over memory and numbers.

use crate::shape::Shape;
use ferrocca_core::{AnyMemory, Element, Error, Memory, Result};
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
/// Memory of one element is the same for all elements, and so is a number. A number may change from call to call; another
/// text or another type is another kernel, which is built once.
#[derive(Clone, Debug)]
pub struct Formula<'a> {
    text: &'a str,
    operands: SmallVec<[(&'a str, Operand<'a>); 4]>,
}

/// An operand of a [`Formula`]: made of `&Memory<T>`, `&AnyMemory`, `(&Memory<T>, [rows, columns])` and of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    kind: Kind<'a>,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Memory(&'a AnyMemory),
    Number(ScalarValue),
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

    pub(crate) fn operands(&self) -> impl Iterator<Item = (&'a str, Operand<'a>)> + '_ {
        self.operands.iter().copied()
    }

    /// The shape that all operands are repeated to.
    pub(crate) fn shape(&self) -> Result<Shape> {
        let mut shape = Shape::scalar();
        for (name, operand) in self.operands() {
            if let Some(memory) = operand.memory().filter(|memory| operand.shape.len() != Some(memory.len())) {
                let (own, len) = (operand.shape, memory.len());
                return Err(Error::out_of_bounds(format!("`{name}` has the shape {own}, but {len} elements")));
            }
            shape = shape.broadcast(&operand.shape).map_err(|error| error.while_doing(format!("operand `{name}`")))?;
        }
        Ok(shape)
    }

    /// How many elements it has, where operands are repeated as a whole or not at all.
    pub(crate) fn len(&self) -> Result<usize> {
        let shape = self.shape()?;
        let too_long = || Error::out_of_bounds(format!("the shape {shape} has too many elements"));
        let len = shape.len().ok_or_else(too_long)?;
        for (name, operand) in self.operands() {
            if operand.memory().is_some_and(|memory| memory.len() != len && memory.len() != 1) {
                return Err(Error::out_of_bounds(format!(
                    "`{name}` has the shape {}, others {shape}; only `map` repeats operands along single axes",
                    operand.shape
                )));
            }
        }
        Ok(len)
    }

    /// The type in which C computes with all operands: the widest, and no narrower than `int`.
    pub(crate) fn promoted(&self) -> Result<Scalar> {
        let mut widest = Scalar::I32;
        for (name, operand) in self.operands() {
            widest = widest.max(computed(operand.scalar(name)?));
        }
        Ok(widest)
    }
}

impl<'a> Operand<'a> {
    pub(crate) fn memory(self) -> Option<&'a AnyMemory> {
        match self.kind {
            Kind::Memory(memory) => Some(memory),
            Kind::Number(_) => None,
        }
    }

    pub(crate) fn number(self) -> Option<ScalarValue> {
        match self.kind {
            Kind::Memory(_) => None,
            Kind::Number(number) => Some(number),
        }
    }

    pub(crate) fn shape(self) -> Shape {
        self.shape
    }

    /// Its type.
    pub(crate) fn scalar(self, name: &str) -> Result<Scalar> {
        match self.kind {
            Kind::Number(number) => Ok(number.ty()),
            Kind::Memory(memory) => scalar_of(memory, name),
        }
    }
}

/// The type of an element; primitives take no structs.
pub(crate) fn scalar_of(memory: &AnyMemory, name: &str) -> Result<Scalar> {
    let dtype = memory.dtype();
    dtype.scalar().ok_or_else(|| Error::invalid(format!("`{name}` is memory of the struct `{dtype}`, not of numbers")))
}

/// What a number of this type is while it is computed with: a storage float is a `float`.
pub(crate) fn computed(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F16 | Scalar::BF16 => Scalar::F32,
        other => other,
    }
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
        Self { kind: Kind::Memory(memory), shape: Shape::new(&[memory.len()]) }
    }
}

macro_rules! shaped_operands {
    ($($axes:literal)*) => {$(
        /// Memory whose elements have a shape: lengths along the axes, slowest first.
        impl<'a, T: Element> From<(&'a Memory<T>, [usize; $axes])> for Operand<'a> {
            fn from((memory, shape): (&'a Memory<T>, [usize; $axes])) -> Self {
                Self { kind: Kind::Memory(memory.untyped()), shape: Shape::new(&shape) }
            }
        }
    )*};
}
shaped_operands!(1 2 3 4);

impl From<ScalarValue> for Operand<'_> {
    fn from(number: ScalarValue) -> Self {
        let number = match number {
            ScalarValue::F16(value) => ScalarValue::F32(value.to_f32()),
            ScalarValue::BF16(value) => ScalarValue::F32(value.to_f32()),
            other => other,
        };
        Self { kind: Kind::Number(number), shape: Shape::scalar() }
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
