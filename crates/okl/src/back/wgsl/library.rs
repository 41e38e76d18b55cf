//! Built-in functions: WGSL's own where they are right, else ours.
//!
//! naga takes `exp`, `sin` and their like for `f64`, and drivers then return garbage or crash; for `f32` their
//! precision is whatever the driver has, so that they are used where that is asked for alone
//! ([`Features::native_math`](crate::target::wgsl::Features::native_math)). Ours stand in `math/*.wgsl` and `subgroups.wgsl`,
//! one definition a paragraph; a text has those that it uses, and those that they use ([`USES`]).

use super::uses::USES;
use crate::ir::{MathFn, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// How a built-in function is called.
pub(super) enum Spelling {
    /// A function of WGSL.
    Builtin(&'static str),
    /// A function of the library.
    Helper(String),
}

/// The function's name on operands of a type.
pub(super) fn spelling(function: MathFn, operand: Scalar, native_math: bool) -> Spelling {
    if let Some(name) = native(function).filter(|_| native_math && operand == Scalar::F32) {
        return Spelling::Builtin(name);
    }
    Spelling::Builtin(match function {
        // WGSL asks for no more than what `1 / inverseSqrt(x)` gives; in double precision drivers round correctly.
        MathFn::Sqrt if operand == Scalar::F64 => "sqrt",
        MathFn::Abs | MathFn::IntAbs => "abs",
        MathFn::Floor => "floor",
        MathFn::Ceil => "ceil",
        MathFn::Trunc => "trunc",
        // To even, as `rint` does.
        MathFn::Rint => "round",
        MathFn::Fma => "fma",
        MathFn::IntMin => "min",
        MathFn::IntMax => "max",
        MathFn::Popcount if operand == Scalar::U32 => "countOneBits",
        MathFn::Clz if operand == Scalar::U32 => "countLeadingZeros",
        MathFn::Ctz if operand == Scalar::U32 => "countTrailingZeros",
        MathFn::Popcount | MathFn::Clz | MathFn::Ctz => {
            return Spelling::Helper(format!("okl_{}_u64", function.name()));
        }
        MathFn::BitsOf if operand == Scalar::F32 => "bitcast<u32>",
        MathFn::BitsOf => "bitcast<u64>",
        MathFn::FromBits if operand == Scalar::U32 => "bitcast<f32>",
        MathFn::FromBits => "bitcast<f64>",
        _ => {
            let ty = if operand == Scalar::F32 { "f32" } else { "f64" };
            return Spelling::Helper(format!("okl_{}_{ty}", function.name()));
        }
    })
}

/// WGSL's function of the same meaning on `f32`, up to its precision. Not `min`, `max` and `%`: theirs of NaNs, infinities
/// and large quotients is another one.
fn native(function: MathFn) -> Option<&'static str> {
    use MathFn::*;
    Some(match function {
        Rsqrt => "inverseSqrt",
        Sqrt | Exp | Exp2 | Log | Log2 | Pow | Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh
        | Asinh | Acosh | Atanh => function.name(),
        _ => return None,
    })
}

/// What a number must be set to, at the beginning of an entry, where one of these functions is used.
const ANY_NUMBER: (&str, [&str; 2]) = ("okl_any_number", ["okl_negative_zero_f32", "okl_negative_zero_f64"]);

/// The function that makes −0.0.
pub(super) fn negative_zero(ty: Scalar) -> &'static str {
    ANY_NUMBER.1[usize::from(ty == Scalar::F64)]
}

/// The variable that an entry sets to any number that no compiler knows, if one of the functions `used` reads it.
pub(super) fn any_number(used: &BTreeSet<String>) -> Option<&'static str> {
    let (variable, readers) = ANY_NUMBER;
    readers.iter().any(|reader| used.contains(*reader)).then_some(variable)
}

const TEXTS: &[&str] = &[
    include_str!("math/basic.wgsl"),
    include_str!("math/exponential.wgsl"),
    include_str!("math/trigonometric.wgsl"),
    include_str!("math/inverse.wgsl"),
    include_str!("math/special.wgsl"),
    include_str!("math/single.wgsl"),
    include_str!("math/half.wgsl"),
    include_str!("math/bfloat16.wgsl"),
    include_str!("subgroups.wgsl"),
];

/// Paragraphs of the library by the name that each defines, with the position in the library.
fn library() -> &'static BTreeMap<&'static str, (usize, &'static str)> {
    static LIBRARY: OnceLock<BTreeMap<&'static str, (usize, &'static str)>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let paragraphs = TEXTS.iter().flat_map(|text| text.split("\n\n")).map(|paragraph| paragraph.trim_matches('\n'));
        paragraphs.enumerate().filter_map(|(at, text)| Some((defined(text)?, (at, text)))).collect()
    })
}

/// The name that a paragraph defines.
fn defined(paragraph: &'static str) -> Option<&'static str> {
    paragraph.lines().find_map(|line| {
        let rest = ["fn ", "const ", "struct ", "var<private> "].iter().find_map(|word| line.strip_prefix(word))?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    })
}

/// Whether the library defines a name.
pub(super) fn is_defined(name: &str) -> bool {
    library().contains_key(name)
}

/// The definitions that the functions `used` need, in the library's order.
pub(super) fn definitions(used: &BTreeSet<String>) -> Vec<&'static str> {
    let mut wanted: Vec<&str> = used.iter().map(String::as_str).collect();
    let mut found: BTreeMap<usize, &'static str> = BTreeMap::new();
    while let Some(name) = wanted.pop() {
        let Some(&(at, paragraph)) = library().get(name) else { unreachable!("`{name}` is not in the library") };
        if found.insert(at, paragraph).is_none() {
            wanted.extend(uses_of(name));
        }
    }
    found.into_values().collect()
}

/// What a definition uses of the others, as [`USES`] declares it.
fn uses_of(name: &str) -> std::str::SplitAsciiWhitespace<'static> {
    let declared = USES.iter().find(|(user, _)| *user == name).map_or("", |(_, uses)| uses);
    declared.split_ascii_whitespace()
}

/// Whether a function's definition computes with `f64`'s bits, for which it takes 64-bit integers.
pub(crate) fn needs_long(function: MathFn, operand: Scalar) -> bool {
    let is_of_bits = matches!(function, MathFn::BitsOf | MathFn::FromBits);
    operand == Scalar::F64 && (is_of_bits || matches!(spelling(function, operand, false), Spelling::Helper(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_what_the_texts_use() {
        let mut rows = 0;
        for (name, (_, paragraph)) in library() {
            let code = paragraph.lines().map(|line| line.split("//").next().unwrap_or_default());
            let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            let used: BTreeSet<&str> = words.filter(|word| word != name && library().contains_key(word)).collect();
            assert_eq!(uses_of(name).collect::<BTreeSet<_>>(), used, "`{name}`");
            rows += usize::from(!used.is_empty());
        }
        assert_eq!(USES.len(), rows, "a row twice, or of what is not in the texts");
    }
}
