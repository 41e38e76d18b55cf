//! Conversions of a `bfloat16`, which is the upper half of a `float`: operations on bits, the same on every target.

use super::{Callee, Language};
use crate::ir::Scalar;

const TO_FLOAT: &str = "{
    const union { U32 bits; float value; } result = {(U32)given << 16};
    return result.value;
}";

// The nearest, ties to even. A carry into the exponent is right for numbers, and would make a NaN something else.
const FROM_FLOAT: &str = "{
    const union { float value; U32 bits; } number = {given};
    const U32 rounded = (number.bits + 0x7fffu + (number.bits >> 16 & 1u)) >> 16;
    return (U16)((number.bits & 0x7fffffffu) > 0x7f800000u ? number.bits >> 16 | 0x0040u : rounded);
}";

const FROM_DOUBLE: &str = "{
    const union { double value; U64 bits; } number = {given};
    const U64 sign = number.bits >> 48 & 0x8000u, rest = number.bits & 0x7fffffffffffffff, one = 1;
    // Everything from 2^128 on is infinite.
    const U64 bounded = rest < 0x47f0000000000000 ? rest : 0x47f0000000000000;
    const U64 normal = (bounded - 0x3800000000000000 + 0x00000fffffffffff + (bounded >> 45 & 1u)) >> 45;
    // Below 2^-126 it counts multiples of 2^-133: all bits behind those are rounded off.
    const int exponent = (int)(rest >> 52), shift = 942 - (exponent < 888 ? 888 : exponent > 896 ? 896 : exponent);
    const U64 whole = (rest & 0x000fffffffffffff) | 0x0010000000000000;
    const U64 subnormal = (whole + (one << (shift - 1)) - 1u + (whole >> shift & 1u)) >> shift;
    const U64 ordered = rest < 0x3810000000000000 ? subnormal : normal;
    return (U16)(sign | ordered | (rest > 0x7ff0000000000000 ? 0x0040u : 0u));
}";

/// The helper that makes a `float` of one, or one of a `float` or a `double`.
pub(super) fn conversion(words: &Language, from: Scalar) -> Callee {
    let (to, body) = match from {
        Scalar::BF16 => (Scalar::F32, TO_FLOAT),
        Scalar::F64 => (Scalar::BF16, FROM_DOUBLE),
        _ => (Scalar::BF16, FROM_FLOAT),
    };
    let name = format!("okl_{}_of_{}", to.tag(), from.tag());
    let scalar = words.scalar;
    let mut text = format!("{}{} {name}({} given) {body}", words.function, scalar(to), scalar(from));
    for (word, ty) in [("U16", Scalar::U16), ("U32", Scalar::U32), ("U64", Scalar::U64)] {
        text = text.replace(word, scalar(ty));
    }
    Callee::helper(name, text)
}
