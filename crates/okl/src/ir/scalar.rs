//! The table of scalar types, and what follows from it. Not here: how a target writes a type (`back`).

/// Gives the table of scalar types to a macro, row by row: variant, kind, type in Rust, bytes, tag, name in OKL, and the
/// names that stand for it unless a source declares them otherwise.
///
/// Rows are in C's order of ranks, unsigned after signed of the same width. A `storage` type is held in memory as its
/// bits, and computed with as a `float`.
#[doc(hidden)]
#[macro_export]
macro_rules! scalars {
    ($with:ident) => {
        $with! {
            Bool, boolean, bool, 1, "bool", "bool", [];
            I8, signed, i8, 1, "i8", "char", ["int8_t"];
            U8, unsigned, u8, 1, "u8", "unsigned char", ["uint8_t", "uchar"];
            I16, signed, i16, 2, "i16", "short", ["int16_t"];
            U16, unsigned, u16, 2, "u16", "unsigned short", ["uint16_t", "ushort"];
            I32, signed, i32, 4, "i32", "int", ["int32_t"];
            U32, unsigned, u32, 4, "u32", "unsigned int", ["uint32_t", "uint"];
            I64, signed, i64, 8, "i64", "long", ["int64_t", "ptrdiff_t", "intptr_t", "ssize_t"];
            U64, unsigned, u64, 8, "u64", "unsigned long", ["uint64_t", "size_t", "uintptr_t", "ulong"];
            F16, storage, $crate::ir::value::f16, 2, "f16", "half", ["half"];
            BF16, storage, $crate::ir::value::bf16, 2, "bf16", "bfloat16", ["bfloat16", "__bf16", "__nv_bfloat16"];
            F32, float, f32, 4, "f32", "float", [];
            F64, float, f64, 8, "f64", "double", [];
        }
    };
}

macro_rules! define {
    ($($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {
        /// Scalar types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[allow(missing_docs)]
        pub enum Scalar {
            $($variant,)*
        }

        impl Scalar {
            /// Every one, in C's order of ranks.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Size and alignment in bytes.
            pub const fn bytes(self) -> usize {
                match self {
                    $(Self::$variant => $bytes,)*
                }
            }

            const fn kind(self) -> Kind {
                match self {
                    $(Self::$variant => kind!($kind),)*
                }
            }

            /// `i32`, `f64`: its name in dumps, and what tells helpers of different types apart.
            pub const fn tag(self) -> &'static str {
                match self {
                    $(Self::$variant => $tag,)*
                }
            }

            /// Name in OKL: `int`, `unsigned long` …
            pub const fn okl_name(self) -> &'static str {
                match self {
                    $(Self::$variant => $okl,)*
                }
            }

            /// Its names that are one word, besides the words of C's built-in types: `int32_t`, `uint`, `half`.
            pub const fn names(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$($name),*],)*
                }
            }

            /// The type that a name stands for unless the source declares it: `int32_t`, `uint`, `half`.
            pub fn of_name(name: &str) -> Option<Self> {
                [$((Self::$variant, &[$($name),*] as &[&str])),*]
                    .into_iter()
                    .find_map(|(scalar, names)| names.contains(&name).then_some(scalar))
            }
        }
    };
}

/// What kind of numbers a type has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Signed,
    Unsigned,
    Storage,
    Float,
}

macro_rules! kind {
    (boolean) => {
        Kind::Boolean
    };
    (signed) => {
        Kind::Signed
    };
    (unsigned) => {
        Kind::Unsigned
    };
    (storage) => {
        Kind::Storage
    };
    (float) => {
        Kind::Float
    };
}

scalars!(define);

impl Scalar {
    /// A float, also one that is only held in memory.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Storage | Kind::Float)
    }

    /// An integer or `Bool`.
    pub const fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// A signed integer or a float.
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), Kind::Signed) || self.is_float()
    }

    /// A float that is held in memory and not computed with: what reads it gets what [`Self::computes_as`] says.
    pub const fn is_storage(self) -> bool {
        matches!(self.kind(), Kind::Storage)
    }

    /// The type that its values are computed with: C's integer promotion, and `F32` for a storage float.
    pub const fn computes_as(self) -> Self {
        match self.kind() {
            Kind::Storage => Self::F32,
            Kind::Boolean | Kind::Signed | Kind::Unsigned if self.bytes() < 4 => Self::I32,
            _ => self,
        }
    }

    /// The type that targets hold it as: the bits of a storage float are an unsigned integer.
    pub const fn held_as(self) -> Self {
        match (self.kind(), self.bytes()) {
            (Kind::Storage, 1) => Self::U8,
            (Kind::Storage, _) => Self::U16,
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::value::ScalarValue;

    #[test]
    fn every_row_is_told_apart_and_holds_its_numbers() {
        for (at, &scalar) in Scalar::ALL.iter().enumerate() {
            assert_eq!(scalar as usize, at, "{scalar:?}");
            let others = Scalar::ALL.iter().filter(|other| **other != scalar);
            assert!(
                others.into_iter().all(|other| other.tag() != scalar.tag() && other.okl_name() != scalar.okl_name())
            );
            assert_eq!(scalar.computes_as().computes_as(), scalar.computes_as());
            assert_eq!(scalar.held_as().bytes(), scalar.bytes());
            let one = ScalarValue::from_integer(1, scalar);
            assert_eq!(ScalarValue::from_bytes(scalar, &one.to_bytes()[..scalar.bytes()]), Some(one));
            assert!(one.ty() == scalar && one.cast(scalar.computes_as()).and_then(|wide| wide.cast(scalar)) == Ok(one));
            assert_eq!((one.integer().is_some(), one.float().is_some()), (scalar.is_integer(), scalar.is_float()));
        }
    }

    #[test]
    fn a_name_stands_for_one_type() {
        assert_eq!(Scalar::of_name("size_t"), Some(Scalar::U64));
        assert_eq!(Scalar::of_name("half"), Some(Scalar::F16));
        assert_eq!(Scalar::of_name("halve"), None);
    }
}
