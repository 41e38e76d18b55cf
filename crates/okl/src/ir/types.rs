//! Types of the IR. Widths are the same on every target: `long` is 64-bit, `char` is signed 8-bit.

use crate::source::Span;
use serde::{Deserialize, Serialize};

/// Scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// Held, not computed with: what reads it gets an `F32`.
    F16,
    F32,
    F64,
}

impl Scalar {
    /// Size and alignment in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// `F16`, `F32` or `F64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// An integer or `Bool`.
    pub const fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// A signed integer or a float.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64) || self.is_float()
    }

    /// Name in OKL: `int`, `unsigned long` …
    pub const fn okl_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned int",
            Self::I64 => "long",
            Self::U64 => "unsigned long",
            Self::F16 => "half",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }
}

/// Index into [`super::Module::structs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StructId(pub u32);

/// A struct, laid out as C does: each field at the next multiple of its alignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Size in bytes, a multiple of `align`.
    pub bytes: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Its definition.
    pub span: Span,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Scalar, struct or array of these.
    pub ty: Type,
    /// Offset in bytes.
    pub offset: usize,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Type {
    /// Result of a function that returns nothing.
    Void,
    /// A number.
    Scalar(Scalar),
    /// A struct.
    Struct(StructId),
    /// Row-major array; `dims[0]` is the slowest. The element is a scalar or a struct.
    Array(Box<Type>, Vec<u32>),
    /// A parameter that points to elements.
    Pointer(Pointer),
}

/// The type of a pointer parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pointer {
    /// Scalar or struct.
    pub element: Box<Type>,
    /// Trailing dimensions of `T a[][4][5]`: 4, 5. Empty for `T *a`.
    pub dims: Vec<u32>,
    /// The function may write through it (`const` was not given).
    pub mutable: bool,
    /// `@restrict`: nothing else the kernel touches overlaps it.
    pub restrict: bool,
}

impl Type {
    /// The scalar, where it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// Number of elements of an array (1 for others).
    pub fn len(&self) -> u64 {
        match self {
            Self::Array(_, dims) => dims.iter().map(|&d| u64::from(d)).product(),
            _ => 1,
        }
    }

    /// Whether it is an array of no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}
