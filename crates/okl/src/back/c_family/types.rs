//! Types, declarations and C's own conversions.

use super::Language;
use crate::back::namer::Namer;
use crate::ir::{Pointer, Scalar, Type};

/// The names of C's `<stdint.h>`, which texts without headers declare themselves. A storage float is held as its bits.
pub(crate) fn fixed_width(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8_t",
        Scalar::U8 => "uint8_t",
        Scalar::I16 => "int16_t",
        Scalar::U16 => "uint16_t",
        Scalar::I32 => "int",
        Scalar::U32 => "uint32_t",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        storage => fixed_width(storage.held_as()),
    }
}

/// `char` … `double`, struct names.
pub(super) fn type_name(words: &Language, names: &Namer, ty: &Type) -> String {
    match ty {
        Type::Void => "void".into(),
        Type::Scalar(scalar) => (words.scalar)(*scalar).into(),
        Type::Struct(id) => names.structure(*id).to_owned(),
        Type::Array(element, _) => stored_name(words, names, element),
        Type::Pointer(pointer) => stored_name(words, names, &pointer.element),
    }
}

/// The name of a type in memory.
fn stored_name(words: &Language, names: &Namer, ty: &Type) -> String {
    match ty {
        Type::Scalar(Scalar::Bool) => words.stored_bool.into(),
        _ => type_name(words, names, ty),
    }
}

/// A field of a struct.
pub(super) fn member(words: &Language, names: &Namer, ty: &Type, name: &str) -> String {
    match ty {
        Type::Scalar(_) => format!("{} {name}", stored_name(words, names, ty)),
        _ => declarator(words, names, ty, name, ""),
    }
}

/// `double a[8][8]`, `const double *restrict u`, `double (*q)[4]`; a pointer's type begins with `space`.
pub(super) fn declarator(words: &Language, names: &Namer, ty: &Type, name: &str, space: &str) -> String {
    match ty {
        Type::Array(element, dims) => format!("{} {name}{}", stored_name(words, names, element), brackets(dims)),
        Type::Pointer(pointer) => pointer_declarator(words, names, pointer, name, space),
        _ => format!("{} {name}", type_name(words, names, ty)),
    }
}

fn pointer_declarator(words: &Language, names: &Namer, pointer: &Pointer, name: &str, space: &str) -> String {
    let mut base = space.to_owned();
    if !pointer.mutable {
        base.push_str("const ");
    }
    base.push_str(&stored_name(words, names, &pointer.element));
    let restrict = if pointer.restrict { format!("{} ", words.restrict) } else { String::new() };
    if pointer.dims.is_empty() {
        format!("{base} *{restrict}{name}")
    } else {
        format!("{base} (*{restrict}{name}){}", brackets(&pointer.dims))
    }
}

/// `(double (*)[4])`, the cast to a parameter's type.
pub(super) fn pointer_cast(words: &Language, names: &Namer, pointer: &Pointer, space: &str) -> String {
    let plain = Pointer { restrict: false, ..pointer.clone() };
    format!("({})", pointer_declarator(words, names, &plain, "", space).trim_end())
}

fn brackets(dims: &[u32]) -> String {
    dims.iter().map(|d| format!("[{d}]")).collect()
}

/// Whether every value of `from` is a value of `to`, and C makes it one by itself: of the bits of a storage float it would make
/// another number.
pub(super) fn widens(from: Scalar, to: Scalar) -> bool {
    if from == to {
        return true;
    }
    match (from, to) {
        (_, Scalar::Bool) => false,
        _ if from.is_storage() || to.is_storage() => false,
        (Scalar::Bool, _) => true,
        (Scalar::F32, Scalar::F64) => true,
        (from, _) if from.is_float() => false,
        (from, Scalar::F32) => from.bytes() <= 2,
        (from, Scalar::F64) => from.bytes() <= 4,
        (from, to) if from.is_signed() == to.is_signed() => from.bytes() <= to.bytes(),
        (from, to) => to.is_signed() && from.bytes() < to.bytes(),
    }
}

/// C's integer promotion.
pub(super) fn promote(scalar: Scalar) -> Scalar {
    if scalar.is_integer() && scalar.bytes() < 4 { Scalar::I32 } else { scalar }
}

/// C's usual arithmetic conversions.
pub(super) fn usual(a: Scalar, b: Scalar) -> Scalar {
    let (a, b) = (promote(a), promote(b));
    let rank = |s: Scalar| match s {
        Scalar::F64 => 5,
        Scalar::F32 => 4,
        Scalar::U64 => 3,
        Scalar::I64 => 2,
        Scalar::U32 => 1,
        _ => 0,
    };
    if rank(a) >= rank(b) { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scalar::{Bool, F16, F32, F64, I8, I32, I64, U8, U32, U64};

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(usual(I8, U8), I32);
        assert_eq!(usual(I32, U32), U32);
        assert_eq!(usual(I64, U32), I64);
        assert_eq!(usual(I64, U64), U64);
        assert_eq!(usual(U64, F32), F32);
        assert_eq!(usual(F32, F64), F64);
        assert_eq!(promote(Bool), I32);
        assert!(widens(I32, I64) && widens(U32, I64) && widens(I32, F64) && widens(Bool, U8));
        assert!(!widens(F16, F32) && !widens(Bool, F16) && widens(F16, F16));
        assert!(!widens(I32, U64) && !widens(I64, F64) && !widens(I32, F32) && !widens(U8, Bool) && !widens(F64, F32));
    }
}
