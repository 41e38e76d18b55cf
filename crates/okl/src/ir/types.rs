//! Types of the IR. Widths are the same on every target: `long` is 64-bit, `char` is signed 8-bit.

use super::Scalar;
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// Largest number of elements of one array: what fits a 32-bit byte count for the widest scalar.
pub(crate) const MAX_ELEMENTS: u64 = 1 << 28;

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
    /// A vector type, `float4`: two to four equal scalars, which CUDA aligns to more than one of them.
    pub is_vector: bool,
    /// Its definition.
    pub span: Span,
}

impl Struct {
    /// What a vector type's name says: `float4` is four `float`.
    pub fn vector_of_name(name: &str) -> Option<(Scalar, usize)> {
        let (base, len) = name.split_at_checked(name.len().checked_sub(1)?)?;
        let len = match len {
            "2" => 2,
            "3" => 3,
            "4" => 4,
            _ => return None,
        };
        let scalar = match base {
            "char" => Scalar::I8,
            "uchar" => Scalar::U8,
            "short" => Scalar::I16,
            "ushort" => Scalar::U16,
            "int" => Scalar::I32,
            "uint" => Scalar::U32,
            "long" | "longlong" => Scalar::I64,
            "ulong" | "ulonglong" => Scalar::U64,
            "float" => Scalar::F32,
            "double" => Scalar::F64,
            _ => return None,
        };
        Some((scalar, len))
    }

    /// Whether it is aligned to more than its fields are.
    pub fn aligns_first(&self) -> bool {
        self.is_vector && self.fields.first().and_then(|of| of.ty.scalar()).is_some_and(|of| self.align > of.bytes())
    }

    /// Alignment of a vector type: its size, up to what one access moves; of three components that of one.
    pub fn vector_align(scalar: Scalar, len: usize) -> usize {
        if len == 3 { scalar.bytes() } else { (len * scalar.bytes()).min(16) }
    }
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
