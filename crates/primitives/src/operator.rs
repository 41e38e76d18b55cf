//! What two values are combined with.

use crate::formula::computed;
use crate::value_type::{ValueType, refuse_complex};
use ferrocca_core::Result;
use okl::ir::Scalar;

/// An operation on two values `a` and `b`, and its identity, for
/// [`Primitives::reduce`](crate::Primitives::reduce) and [`Primitives::scan_inclusive`](crate::Primitives::scan_inclusive).
///
/// Both are expressions of the kernel language, in the type of the results. The identity combined with any value must be that
/// value. Operations of computers are seldom associative (a sum of floats is not); the order in which values are combined is
/// therefore part of each primitive's definition.
#[derive(Clone, Copy, Debug)]
pub struct Operator<'a>(pub(crate) Op<'a>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op<'a> {
    Sum,
    Product,
    Min,
    Max,
    Any,
    All,
    User { text: &'a str, identity: &'a str },
}

impl<'a> Operator<'a> {
    /// `a + b`. Integers wrap.
    pub const SUM: Self = Self(Op::Sum);
    /// `a * b`. Integers wrap.
    pub const PRODUCT: Self = Self(Op::Product);
    /// The lower value; a NaN where there is one, as in NumPy. Of two zeros of unlike sign, the one that comes first.
    pub const MIN: Self = Self(Op::Min);
    /// The higher value; a NaN where there is one, as in NumPy. Of two zeros of unlike sign, the one that comes first.
    pub const MAX: Self = Self(Op::Max);

    /// An expression in `a` and `b`, and one for the identity: `Operator::new("a > b ? a : b", "0")`.
    pub fn new(text: &'a str, identity: &'a str) -> Self {
        Self(Op::User { text, identity })
    }
}

impl<'a> Op<'a> {
    /// The type in which results of type `out` are combined: storage floats as `float`, integers no narrower than `int`, and
    /// unsigned where they might overflow.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for extremes of complex numbers.
    pub(crate) fn accumulator(self, out: ValueType) -> Result<ValueType> {
        let ValueType::Real(scalar) = out.computed() else {
            if matches!(self, Self::Min | Self::Max) {
                refuse_complex("the extreme value", out)?;
            }
            return Ok(out);
        };
        let wide = if scalar.is_integer() { scalar.max(Scalar::I32) } else { scalar };
        Ok(ValueType::Real(match (self, wide) {
            (Self::Sum | Self::Product, Scalar::I32) => Scalar::U32,
            (Self::Sum | Self::Product, Scalar::I64) => Scalar::U64,
            (_, wide) => wide,
        }))
    }

    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Sum => "a + b",
            Self::Product => "a * b",
            Self::Min => "a <= b || a != a ? a : b",
            Self::Max => "a >= b || a != a ? a : b",
            Self::Any => "a | b",
            Self::All => "a & b",
            Self::User { text, .. } => text,
        }
    }

    /// Its identity in the type `acc`.
    pub(crate) fn identity(self, acc: ValueType) -> &'a str {
        match self {
            Self::Sum | Self::Any => "0",
            Self::Product | Self::All => "1",
            Self::Min => highest(acc.part()),
            Self::Max => lowest(acc.part()),
            Self::User { identity, .. } => identity,
        }
    }

    /// Whether there is a result where there is no value.
    pub(crate) fn has_identity(self) -> bool {
        !matches!(self, Self::Min | Self::Max)
    }
}

/// What a value is converted to before it is combined as `acc`: a negative float must not become unsigned at once, which C
/// leaves undefined.
pub(crate) fn signed(out: ValueType, acc: ValueType) -> ValueType {
    let (ValueType::Real(out), ValueType::Real(acc)) = (out, acc) else { return acc };
    ValueType::Real(match (out.is_signed(), acc) {
        (true, Scalar::U32) => Scalar::I32,
        (true, Scalar::U64) => Scalar::I64,
        (_, acc) => computed(acc),
    })
}

fn highest(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U32 => "UINT_MAX",
        Scalar::I64 => "LONG_MAX",
        Scalar::U64 => "ULONG_MAX",
        scalar if scalar.is_float() => "INFINITY",
        _ => "INT_MAX",
    }
}

fn lowest(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::U32 | Scalar::U64 => "0",
        Scalar::I64 => "LONG_MIN",
        scalar if scalar.is_float() => "-INFINITY",
        _ => "INT_MIN",
    }
}
