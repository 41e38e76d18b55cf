//! Constants, printed so that the compiler reads back the very same value.

use super::Language;
use super::expr::{PRIMARY, TypedText};
use crate::ir::value::ScalarValue;
use crate::ir::{Literal, Scalar};

/// A constant as one would write it: `5` also for a `long`, whose conversion is left to C.
pub(super) fn natural(words: &Language, literal: Literal, ty: Scalar) -> TypedText {
    match literal {
        Literal::Bool(value) => TypedText::new(if value { "true" } else { "false" }, PRIMARY, Scalar::Bool),
        Literal::Float(_) if ty.is_storage() => {
            TypedText::new(format!("{:#06x}", ScalarValue::from_literal(literal, ty).bits()), PRIMARY, ty)
        }
        Literal::Float(value) => float(value, ty),
        Literal::Int(value) => {
            if i32::try_from(value).is_ok() && (ty != Scalar::U64 || value >= 0) {
                integer(words, value, Scalar::I32)
            } else {
                integer(
                    words,
                    value,
                    if ty.is_integer() && ty.bytes() == 8 || ty == Scalar::U32 { ty } else { Scalar::I64 },
                )
            }
        }
    }
}

/// A constant whose C type is `ty`, where a suffix can say so.
pub(super) fn exact(words: &Language, literal: Literal, ty: Scalar) -> Option<TypedText> {
    match (literal, ty) {
        (Literal::Int(value), Scalar::I32) if i32::try_from(value).is_ok() => Some(integer(words, value, ty)),
        (Literal::Int(value), Scalar::U32 | Scalar::I64 | Scalar::U64) => Some(integer(words, value, ty)),
        (Literal::Float(value), Scalar::F32 | Scalar::F64) if value.is_finite() => Some(float(value, ty)),
        _ => None,
    }
}

fn integer(words: &Language, value: i64, ty: Scalar) -> TypedText {
    let [signed, unsigned] = words.long_suffixes;
    let text = match ty {
        Scalar::I32 if value == i64::from(i32::MIN) => return TypedText::new(words.smallest[0], PRIMARY, ty),
        Scalar::I64 if value == i64::MIN => return TypedText::new(words.smallest[1], PRIMARY, ty),
        Scalar::U32 => format!("{}u", value as u32),
        Scalar::U64 => format!("{}{unsigned}", value as u64),
        Scalar::I64 => format!("{value}{signed}"),
        _ => value.to_string(),
    };
    let is_negative = value < 0 && !matches!(ty, Scalar::U32 | Scalar::U64);
    if is_negative { TypedText::negative(text, ty) } else { TypedText::new(text, PRIMARY, ty) }
}

fn float(value: f64, ty: Scalar) -> TypedText {
    if value.is_nan() {
        return TypedText::new("NAN", PRIMARY, Scalar::F32);
    }
    if value.is_infinite() {
        return if value > 0.0 {
            TypedText::new("INFINITY", PRIMARY, Scalar::F32)
        } else {
            TypedText::negative("-INFINITY", Scalar::F32)
        };
    }
    // Rust prints the shortest decimal that reads back as the same bits.
    let text = if ty == Scalar::F32 { format!("{:?}f", value as f32) } else { format!("{value:?}") };
    if value.is_sign_negative() { TypedText::negative(text, ty) } else { TypedText::new(text, PRIMARY, ty) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_read_back_exactly() {
        let words = &crate::back::cpu::LANGUAGE;
        let text = |literal, ty| natural(words, literal, ty).text;
        let exactly = |literal, ty| exact(words, literal, ty).unwrap().text;
        assert_eq!(text(Literal::Int(-7), Scalar::I32), "-7");
        assert_eq!(text(Literal::Int(7), Scalar::I64), "7");
        assert_eq!(exactly(Literal::Int(7), Scalar::I64), "7ll");
        assert_eq!(text(Literal::Int(i64::MIN), Scalar::I64), "INT64_MIN");
        assert_eq!(text(Literal::Int(i64::from(i32::MIN)), Scalar::I32), "INT32_MIN");
        assert_eq!(text(Literal::Int(-1), Scalar::U64), "18446744073709551615ull");
        assert_eq!(text(Literal::Int(4_294_967_295), Scalar::U32), "4294967295u");
        assert_eq!(text(Literal::Float(0.1), Scalar::F64), "0.1");
        assert_eq!(text(Literal::Float(1e300), Scalar::F64), "1e300");
        assert_eq!(text(Literal::Float(f64::from(0.1f32)), Scalar::F32), "0.1f");
        assert_eq!(text(Literal::Float(-0.0), Scalar::F64), "-0.0");
        assert_eq!(text(Literal::Float(f64::NEG_INFINITY), Scalar::F64), "-INFINITY");
        assert_eq!(text(Literal::Float(f64::NAN), Scalar::F32), "NAN");
        assert_eq!(text(Literal::Float(-1.0), Scalar::F16), "0xbc00");
    }
}
