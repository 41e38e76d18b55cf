//! A scalar at run time, and the IR's arithmetic on it: what [`crate::interp`] computes with, what
//! [`crate::signature`] sizes launches with, and what constants are folded with.
//!
//! # Rules
//! - A result has the type the IR gives it: `F32` is rounded to `f32` after every operation, integers keep their width.
//!   A storage float has conversions alone: every one to it rounds once, to nearest, ties to even; an integer is
//!   converted by way of `F32`.
//! - Unsigned arithmetic and conversions between integers wrap. Signed overflow, division by zero, a shift by the
//!   width or more, and a float that does not fit the integer it is converted to are [`Trap`]s, because C leaves
//!   them undefined. A left shift of a signed value drops the bits that leave it, as every target does.
//! - Nothing allocates and nothing panics; operands of the wrong type are a [`Trap`] too.
//!
//! Not here: `&&`, `||` and `?:`, which are lazy and belong to whoever walks the expression.

mod held;
mod math;

#[doc(hidden)]
pub use ::half::{bf16, f16};
pub use math::{evaluate as math, tolerance_ulp};

use crate::ir::{BinaryOp, Literal, Scalar, UnaryOp};
use held::Held;
use std::fmt;

macro_rules! define {
    ($($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {
        /// A scalar of any type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)] // the variants are the types
        pub enum ScalarValue {
            $($variant($rust),)*
        }

        impl ScalarValue {
            /// Its type.
            pub const fn ty(self) -> Scalar {
                match self {
                    $(Self::$variant(_) => Scalar::$variant,)*
                }
            }

            /// The value whose representation in memory the first bytes of `bytes` are; `None` where there are too few.
            pub fn from_bytes(ty: Scalar, bytes: &[u8]) -> Option<Self> {
                Some(match ty {
                    $(Scalar::$variant => Self::$variant(Held::read(bytes)?),)*
                })
            }

            /// Its representation in memory: the first [`Scalar::bytes`] bytes count, the rest are zero.
            pub fn to_bytes(self) -> [u8; 8] {
                let mut out = [0; 8];
                match self {
                    $(Self::$variant(value) => value.write(&mut out),)*
                }
                out
            }

            /// The value of an integer or `Bool`.
            pub fn integer(self) -> Option<i128> {
                match self {
                    $(Self::$variant(value) => value.integer(),)*
                }
            }

            /// The value of a float.
            pub fn float(self) -> Option<f64> {
                match self {
                    $(Self::$variant(value) => value.float(),)*
                }
            }

            /// The integer cut to the width of `ty`; to a float type, the nearest value.
            pub fn from_integer(value: i128, ty: Scalar) -> Self {
                match ty {
                    $(Scalar::$variant => Self::$variant(Held::from_integer(value)),)*
                }
            }

            /// The nearest value of a float type; to an integer type, the integer part where it fits.
            pub fn from_float(value: f64, ty: Scalar) -> Self {
                match ty {
                    $(Scalar::$variant => Self::$variant(Held::from_float(value)),)*
                }
            }
        }

        $(impl From<$rust> for ScalarValue {
            fn from(value: $rust) -> Self {
                Self::$variant(value)
            }
        })*

        impl fmt::Display for ScalarValue {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(value) => fmt::Debug::fmt(value, f),)*
                }
            }
        }
    };
}
crate::scalars!(define);

/// Arithmetic that has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trap {
    /// The exact result does not fit the signed type.
    Overflow(Scalar),
    /// An integer divided by zero, or the remainder of that.
    DivisionByZero,
    /// A shift by a negative number of bits, or by the width of the type or more.
    Shift(Scalar),
    /// A float (NaN too) that does not fit the integer type it is converted to.
    Conversion(Scalar),
    /// The operation does not exist for values of this type; checked IR has no such thing.
    Type(Scalar),
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow(ty) => write!(f, "the result does not fit `{}`", ty.okl_name()),
            Self::DivisionByZero => f.write_str("integer division by zero"),
            Self::Shift(ty) => {
                write!(f, "a shift of `{}` by a negative number of bits or by its width or more", ty.okl_name())
            }
            Self::Conversion(ty) => write!(f, "a floating-point value that does not fit `{}`", ty.okl_name()),
            Self::Type(ty) => write!(f, "an operation that does not exist for `{}`", ty.okl_name()),
        }
    }
}

impl std::error::Error for Trap {}

/// Result of arithmetic.
pub type Result<T = ScalarValue> = std::result::Result<T, Trap>;

impl ScalarValue {
    /// The value of a literal of type `ty`; an integer literal is cut to the width of `ty`.
    pub fn from_literal(literal: Literal, ty: Scalar) -> Self {
        match literal {
            Literal::Bool(value) => Self::from_integer(i128::from(value), ty),
            Literal::Int(value) => Self::from_integer(i128::from(value), ty),
            Literal::Float(value) => Self::from_float(value, ty),
        }
    }

    /// All bits zero: `0`, `0.0`, `false`.
    pub fn zero(ty: Scalar) -> Self {
        Self::from_integer(0, ty)
    }

    /// Its bits: what those who hold it as an integer write.
    pub fn bits(self) -> u64 {
        let unsigned = match self.ty().bytes() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        };
        let bits = Self::from_bytes(unsigned, &self.to_bytes());
        bits.and_then(Self::integer).unwrap_or_default() as u64
    }

    /// As a condition: whether it differs from zero (NaN does).
    pub fn is_true(self) -> bool {
        self.float().map_or(self.integer() != Some(0), |value| value != 0.0)
    }

    /// The value of an integer or `Bool` that fits `i64`.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Self::I64(v) => Some(v),
            Self::I32(v) => Some(i64::from(v)),
            _ => self.integer().and_then(|v| i64::try_from(v).ok()),
        }
    }

    /// C's conversion to `ty`; to `Bool`, whether it differs from zero.
    /// # Errors
    /// [`Trap::Conversion`] for a float whose integer part does not fit the integer type.
    pub fn cast(self, ty: Scalar) -> Result {
        match (self.float(), ty) {
            _ if self.ty() == ty => Ok(self),
            (_, Scalar::Bool) => Ok(Self::Bool(self.is_true())),
            (Some(value), _) if ty.is_float() => Ok(Self::from_float(value, ty)),
            (Some(value), _) => truncate(value, ty),
            (None, _) => Ok(Self::from_integer(self.integer().ok_or(Trap::Type(self.ty()))?, ty)),
        }
    }

    /// `-`, `!` or `~`.
    /// # Errors
    /// [`Trap::Overflow`] for the negative of the least integer.
    pub fn unary(self, op: UnaryOp) -> Result {
        let ty = self.ty();
        match (op, self) {
            (UnaryOp::Negate, Self::F32(v)) => Ok(Self::F32(-v)),
            (UnaryOp::Negate, Self::F64(v)) => Ok(Self::F64(-v)),
            (UnaryOp::Not, _) => Ok(Self::Bool(!self.is_true())),
            (UnaryOp::Negate, _) => fit(-self.integer().ok_or(Trap::Type(ty))?, ty),
            (UnaryOp::Complement, _) => Ok(Self::from_integer(!self.integer().ok_or(Trap::Type(ty))?, ty)),
        }
    }

    /// `self op right`. Both have one type, except in a shift. `&&` and `||` take two `Bool`s that are both known.
    /// # Errors
    /// Every kind of [`Trap`] except [`Trap::Conversion`].
    pub fn binary(self, op: BinaryOp, right: Self) -> Result {
        match (self, right) {
            (Self::F64(a), Self::F64(b)) => match op {
                BinaryOp::Add => Ok(Self::F64(a + b)),
                BinaryOp::Sub => Ok(Self::F64(a - b)),
                BinaryOp::Mul => Ok(Self::F64(a * b)),
                BinaryOp::Div => Ok(Self::F64(a / b)),
                _ => compare(op, a.partial_cmp(&b), Scalar::F64),
            },
            (Self::F32(a), Self::F32(b)) => match op {
                BinaryOp::Add => Ok(Self::F32(a + b)),
                BinaryOp::Sub => Ok(Self::F32(a - b)),
                BinaryOp::Mul => Ok(Self::F32(a * b)),
                BinaryOp::Div => Ok(Self::F32(a / b)),
                _ => compare(op, a.partial_cmp(&b), Scalar::F32),
            },
            _ => {
                let a = self.integer().ok_or(Trap::Type(self.ty()))?;
                let b = right.integer().ok_or(Trap::Type(right.ty()))?;
                integers(a, op, b, self.ty())
            }
        }
    }

    /// Like [`Self::binary`], but signed `+`, `-` and `*` wrap: what an atomic update does.
    /// # Errors
    /// As [`Self::binary`], without [`Trap::Overflow`] for these.
    pub fn binary_wrapping(self, op: BinaryOp, right: Self) -> Result {
        match (op, self.integer(), right.integer()) {
            (BinaryOp::Add, Some(a), Some(b)) => Ok(Self::from_integer(a + b, self.ty())),
            (BinaryOp::Sub, Some(a), Some(b)) => Ok(Self::from_integer(a - b, self.ty())),
            (BinaryOp::Mul, Some(a), Some(b)) => Ok(Self::from_integer(a.wrapping_mul(b), self.ty())),
            _ => self.binary(op, right),
        }
    }
}

fn integers(a: i128, op: BinaryOp, b: i128, ty: Scalar) -> Result {
    match op {
        BinaryOp::Add => fit(a + b, ty),
        BinaryOp::Sub => fit(a - b, ty),
        // Only two unsigned factors can leave i128, and those wrap anyway.
        BinaryOp::Mul => fit(a.wrapping_mul(b), ty),
        BinaryOp::Div => fit(a.checked_div(b).ok_or(Trap::DivisionByZero)?, ty),
        BinaryOp::Rem => {
            // C leaves INT_MIN % -1 undefined, because the quotient overflows.
            fit(a.checked_div(b).ok_or(Trap::DivisionByZero)?, ty)?;
            fit(a % b, ty)
        }
        BinaryOp::Shl => Ok(ScalarValue::from_integer(a << shift_bits(b, ty)?, ty)),
        BinaryOp::Shr => Ok(ScalarValue::from_integer(a >> shift_bits(b, ty)?, ty)),
        BinaryOp::BitAnd => Ok(ScalarValue::from_integer(a & b, ty)),
        BinaryOp::BitOr => Ok(ScalarValue::from_integer(a | b, ty)),
        BinaryOp::BitXor => Ok(ScalarValue::from_integer(a ^ b, ty)),
        BinaryOp::LogicAnd => Ok(ScalarValue::Bool(a != 0 && b != 0)),
        BinaryOp::LogicOr => Ok(ScalarValue::Bool(a != 0 || b != 0)),
        _ => compare(op, Some(a.cmp(&b)), ty),
    }
}

fn shift_bits(bits: i128, ty: Scalar) -> Result<u32> {
    let width = ty.bytes() as i128 * 8;
    if (0..width).contains(&bits) { Ok(bits as u32) } else { Err(Trap::Shift(ty)) }
}

/// The exact result in its type: wrapped where that is unsigned, refused where it is signed and does not fit.
fn fit(exact: i128, ty: Scalar) -> Result {
    let value = ScalarValue::from_integer(exact, ty);
    if ty.is_signed() && value.integer() != Some(exact) { Err(Trap::Overflow(ty)) } else { Ok(value) }
}

/// Rounds toward zero into an integer type.
fn truncate(value: f64, ty: Scalar) -> Result {
    let whole = value.trunc();
    // Every integer type's range lies well inside i128, so that the saturating cast does not hide a misfit; NaN
    // is the one value that it would turn into a fitting zero.
    let exact = whole as i128;
    let converted = ScalarValue::from_integer(exact, ty);
    if whole.is_nan() || converted.integer() != Some(exact) { Err(Trap::Conversion(ty)) } else { Ok(converted) }
}

fn compare(op: BinaryOp, ordering: Option<std::cmp::Ordering>, ty: Scalar) -> Result {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let holds = match op {
        BinaryOp::Eq => ordering == Some(Equal),
        BinaryOp::Ne => ordering != Some(Equal),
        BinaryOp::Lt => ordering == Some(Less),
        BinaryOp::Le => matches!(ordering, Some(Less | Equal)),
        BinaryOp::Gt => ordering == Some(Greater),
        BinaryOp::Ge => matches!(ordering, Some(Greater | Equal)),
        _ => return Err(Trap::Type(ty)),
    };
    Ok(ScalarValue::Bool(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_overflow_traps_and_unsigned_wraps() {
        let max = ScalarValue::I32(i32::MAX);
        assert_eq!(max.binary(BinaryOp::Add, 1i32.into()), Err(Trap::Overflow(Scalar::I32)));
        assert_eq!(ScalarValue::U32(u32::MAX).binary(BinaryOp::Add, 1u32.into()), Ok(0u32.into()));
        let big = ScalarValue::U64(u64::MAX);
        assert_eq!(big.binary(BinaryOp::Mul, big), Ok(1u64.into()));
        let least = ScalarValue::I64(i64::MIN);
        assert_eq!(least.binary(BinaryOp::Div, (-1i64).into()), Err(Trap::Overflow(Scalar::I64)));
        assert_eq!(least.binary(BinaryOp::Rem, (-1i64).into()), Err(Trap::Overflow(Scalar::I64)));
        assert_eq!(least.unary(UnaryOp::Negate), Err(Trap::Overflow(Scalar::I64)));
        assert_eq!(ScalarValue::U32(1).unary(UnaryOp::Negate), Ok(u32::MAX.into()));
    }

    #[test]
    fn division_truncates_and_refuses_zero() {
        let a = ScalarValue::I32(-7);
        assert_eq!(a.binary(BinaryOp::Div, 2i32.into()), Ok((-3i32).into()));
        assert_eq!(a.binary(BinaryOp::Rem, 2i32.into()), Ok((-1i32).into()));
        assert_eq!(a.binary(BinaryOp::Rem, 0i32.into()), Err(Trap::DivisionByZero));
        assert_eq!(ScalarValue::U64(7).binary(BinaryOp::Div, 0u64.into()), Err(Trap::DivisionByZero));
    }

    #[test]
    fn shifts_keep_the_left_type() {
        assert_eq!(ScalarValue::I32(1).binary(BinaryOp::Shl, 31i64.into()), Ok(i32::MIN.into()));
        assert_eq!(ScalarValue::I32(-8).binary(BinaryOp::Shr, 1u8.into()), Ok((-4i32).into()));
        assert_eq!(ScalarValue::U32(1).binary(BinaryOp::Shl, 32i32.into()), Err(Trap::Shift(Scalar::U32)));
        assert_eq!(ScalarValue::U32(1).binary(BinaryOp::Shr, (-1i32).into()), Err(Trap::Shift(Scalar::U32)));
        assert_eq!(ScalarValue::U64(1).binary(BinaryOp::Shl, 63i32.into()), Ok((1u64 << 63).into()));
    }

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(ScalarValue::F64(-1.9).cast(Scalar::I32), Ok((-1i32).into()));
        assert_eq!(ScalarValue::F64(-0.9).cast(Scalar::U8), Ok(0u8.into()));
        assert_eq!(ScalarValue::F64(3e9).cast(Scalar::I32), Err(Trap::Conversion(Scalar::I32)));
        assert_eq!(ScalarValue::F64(f64::NAN).cast(Scalar::I64), Err(Trap::Conversion(Scalar::I64)));
        assert_eq!(ScalarValue::F32(f32::INFINITY).cast(Scalar::U64), Err(Trap::Conversion(Scalar::U64)));
        assert_eq!(ScalarValue::I32(-1).cast(Scalar::U8), Ok(255u8.into()));
        assert_eq!(ScalarValue::I32(300).cast(Scalar::I8), Ok(44i8.into()));
        assert_eq!(ScalarValue::F32(0.5).cast(Scalar::Bool), Ok(true.into()));
        assert_eq!(ScalarValue::F64(0.1).cast(Scalar::F32), Ok(0.1f32.into()));
        assert_eq!(ScalarValue::U64(u64::MAX).cast(Scalar::F32), Ok((u64::MAX as f32).into()));
    }

    #[test]
    fn single_precision_rounds_after_each_operation() {
        let (a, b) = (16_777_216f32, 1f32);
        assert_eq!(ScalarValue::F32(a).binary(BinaryOp::Add, b.into()), Ok(a.into()));
    }

    #[test]
    fn nan_is_unequal_to_itself() {
        let nan = ScalarValue::F64(f64::NAN);
        assert_eq!(nan.binary(BinaryOp::Eq, nan), Ok(false.into()));
        assert_eq!(nan.binary(BinaryOp::Ne, nan), Ok(true.into()));
        assert_eq!(nan.binary(BinaryOp::Ge, nan), Ok(false.into()));
        assert!(nan.is_true());
    }

    #[test]
    fn bytes_round_trip() {
        for value in [ScalarValue::I16(-3), ScalarValue::U64(1 << 60), ScalarValue::F32(1.5), ScalarValue::Bool(true)] {
            let bytes = value.to_bytes();
            assert_eq!(ScalarValue::from_bytes(value.ty(), &bytes[..value.ty().bytes()]), Some(value));
        }
        assert_eq!(ScalarValue::from_bytes(Scalar::I32, &[1, 2]), None);
    }
}
