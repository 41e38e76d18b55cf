//! The type of a value that is computed with: a scalar, or a complex number.

use ferrocca_core::{AnyMemory, DType, Error, Result};
use okl::ir::Scalar;

/// A number type of the kernel language: a scalar, or `complex64` and `complex128`, by the type of their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// An integer, a float or a truth value.
    Real(Scalar),
    /// `complex64`, whose parts are [`Scalar::F32`].
    Complex64,
    /// `complex128`, whose parts are [`Scalar::F64`].
    Complex128,
}

impl ValueType {
    /// Of the elements of memory; nothing for structs.
    pub fn of(dtype: DType) -> Option<Self> {
        match dtype.complex_of() {
            Some(part) => Some(Self::complex(part)),
            None => dtype.scalar().map(Self::Real),
        }
    }

    /// Of an operand's elements.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for structs.
    pub(crate) fn of_memory(memory: &AnyMemory, name: &str) -> Result<Self> {
        let dtype = memory.dtype();
        Self::of(dtype)
            .ok_or_else(|| Error::invalid(format!("`{name}` is memory of the struct `{dtype}`, not of numbers")))
    }

    /// The complex numbers that hold parts of a type.
    pub(crate) fn complex(part: Scalar) -> Self {
        if part == Scalar::F32 { Self::Complex64 } else { Self::Complex128 }
    }

    /// The type of its parts; of a real number its own.
    pub fn part(self) -> Scalar {
        match self {
            Self::Real(scalar) => scalar,
            Self::Complex64 => Scalar::F32,
            Self::Complex128 => Scalar::F64,
        }
    }

    /// Whether it is one of complex numbers.
    pub fn is_complex(self) -> bool {
        !matches!(self, Self::Real(_))
    }

    /// Its name in kernels.
    pub fn okl_name(self) -> &'static str {
        match self {
            Self::Real(scalar) => scalar.okl_name(),
            Self::Complex64 => "complex64",
            Self::Complex128 => "complex128",
        }
    }

    /// Its name in messages.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Real(scalar) => scalar.tag(),
            complex => complex.okl_name(),
        }
    }

    /// What a number of this type is while it is computed with: a storage float is a `float`.
    pub(crate) fn computed(self) -> Self {
        match self {
            Self::Real(real) if real.is_storage() => Self::Real(real.computes_as()),
            other => other,
        }
    }

    /// The type in which C computes with two numbers of these types.
    pub(crate) fn common(self, other: Self) -> Self {
        // The order of the enum is C's order of ranks.
        let part = self.computed().part().max(other.computed().part());
        if self.is_complex() || other.is_complex() { Self::complex(part) } else { Self::Real(part) }
    }
}

impl From<Scalar> for ValueType {
    fn from(scalar: Scalar) -> Self {
        Self::Real(scalar)
    }
}

/// # Errors
/// [`ferrocca_core::ErrorKind::Invalid`] for complex numbers, where what they are needed for has an order.
pub(crate) fn refuse_complex(what: &str, of: ValueType) -> Result<()> {
    if of.is_complex() {
        return Err(Error::invalid(format!(
            "{what} of {}: complex numbers have no order; take the magnitudes, `abs(x)`, or a part, `real(x)`",
            of.tag()
        )));
    }
    Ok(())
}
