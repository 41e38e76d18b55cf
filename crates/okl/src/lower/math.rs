//! The built-in functions and named constants: C's names, and their types by argument.

use super::Lowered;
use super::constants::{binary, common, implicit, math, select};
use super::context::Lowering;
use super::expr::Value;
use crate::front::ast;
use crate::ir::value::ScalarValue;
use crate::ir::{BinaryOp, Expr, MathFn, Scalar};
use crate::rules;
use crate::source::Span;

/// What a name of the library means.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Builtin {
    function: MathFn,
    /// The type that the name itself asks for: `sinf`, `labs`.
    forced: Option<Scalar>,
}

/// Names that C gives to functions that have another name in the IR.
const ALIASES: &[(&str, MathFn, Option<Scalar>)] = &[
    ("abs", MathFn::IntAbs, None),
    ("labs", MathFn::IntAbs, Some(Scalar::I64)),
    ("llabs", MathFn::IntAbs, Some(Scalar::I64)),
    ("min", MathFn::IntMin, None),
    ("max", MathFn::IntMax, None),
    ("nearbyint", MathFn::Rint, None),
    ("nearbyintf", MathFn::Rint, Some(Scalar::F32)),
    ("mad", MathFn::Fma, None),
    ("fabs", MathFn::Abs, None),
    ("fabsf", MathFn::Abs, Some(Scalar::F32)),
    // CUDA's fast functions are less precise; here they are what they approximate.
    ("__expf", MathFn::Exp, Some(Scalar::F32)),
    ("__logf", MathFn::Log, Some(Scalar::F32)),
    ("__log2f", MathFn::Log2, Some(Scalar::F32)),
    ("__log10f", MathFn::Log10, Some(Scalar::F32)),
    ("__sinf", MathFn::Sin, Some(Scalar::F32)),
    ("__cosf", MathFn::Cos, Some(Scalar::F32)),
    ("__tanf", MathFn::Tan, Some(Scalar::F32)),
    ("__powf", MathFn::Pow, Some(Scalar::F32)),
];

/// Which bits are counted.
#[derive(Clone, Copy, PartialEq)]
enum Bits {
    Set,
    Leading,
    Trailing,
    /// The place of the lowest one, from 1 on; 0 where there is none.
    FirstSet,
}

/// Functions of bits by OpenCL's names, CUDA's and those of compilers; with the type that their names ask for.
const BITS: [(&str, Bits, Option<Scalar>); 19] = [
    ("popcount", Bits::Set, None),
    ("clz", Bits::Leading, None),
    ("ctz", Bits::Trailing, None),
    ("__popc", Bits::Set, Some(Scalar::U32)),
    ("__popcll", Bits::Set, Some(Scalar::U64)),
    ("__clz", Bits::Leading, Some(Scalar::U32)),
    ("__clzll", Bits::Leading, Some(Scalar::U64)),
    ("__ffs", Bits::FirstSet, Some(Scalar::U32)),
    ("__ffsll", Bits::FirstSet, Some(Scalar::U64)),
    ("__builtin_popcount", Bits::Set, Some(Scalar::U32)),
    ("__builtin_popcountl", Bits::Set, Some(Scalar::U64)),
    ("__builtin_popcountll", Bits::Set, Some(Scalar::U64)),
    ("__builtin_clz", Bits::Leading, Some(Scalar::U32)),
    ("__builtin_clzl", Bits::Leading, Some(Scalar::U64)),
    ("__builtin_clzll", Bits::Leading, Some(Scalar::U64)),
    ("__builtin_ctz", Bits::Trailing, Some(Scalar::U32)),
    ("__builtin_ctzl", Bits::Trailing, Some(Scalar::U64)),
    ("__builtin_ctzll", Bits::Trailing, Some(Scalar::U64)),
    ("__builtin_ffs", Bits::FirstSet, Some(Scalar::U32)),
];

/// Functions that take a number's bits for those of another type: CUDA's names say what they take, OpenCL's take any number of
/// the size of their result, which stands last.
const REINTERPRETED: [(&str, Option<Scalar>, Scalar); 12] = [
    ("__float_as_int", Some(Scalar::F32), Scalar::I32),
    ("__float_as_uint", Some(Scalar::F32), Scalar::U32),
    ("__int_as_float", Some(Scalar::I32), Scalar::F32),
    ("__uint_as_float", Some(Scalar::U32), Scalar::F32),
    ("__double_as_longlong", Some(Scalar::F64), Scalar::I64),
    ("__longlong_as_double", Some(Scalar::I64), Scalar::F64),
    ("as_int", None, Scalar::I32),
    ("as_uint", None, Scalar::U32),
    ("as_float", None, Scalar::F32),
    ("as_long", None, Scalar::I64),
    ("as_ulong", None, Scalar::U64),
    ("as_double", None, Scalar::F64),
];

fn builtin(name: &str) -> Option<Builtin> {
    if let Some(&(_, function, forced)) = ALIASES.iter().find(|alias| alias.0 == name) {
        return Some(Builtin { function, forced });
    }
    let is_float = |f: &MathFn| !f.is_of_integers() && f.has_name();
    let find = |name: &str| MathFn::ALL.iter().copied().filter(is_float).find(|f| f.name() == name);
    match find(name) {
        Some(function) => Some(Builtin { function, forced: None }),
        None => {
            let function = find(name.strip_suffix('f')?)?;
            Some(Builtin { function, forced: Some(Scalar::F32) })
        }
    }
}

/// Every built-in function's plain name, for "did you mean".
pub(crate) fn names<'a>() -> impl Iterator<Item = &'a str> {
    let named = MathFn::ALL.iter().filter(|f| f.has_name()).map(|f| f.name());
    named.chain(REINTERPRETED.iter().map(|of| of.0).filter(|name| !name.starts_with('_')))
}

/// Constants that C's headers define.
pub(super) fn named_constant(name: &str) -> Option<ScalarValue> {
    use std::f64::consts as c;
    Some(match name {
        "NULL" | "nullptr" => ScalarValue::I32(0),
        "M_PI" => ScalarValue::F64(c::PI),
        "M_PI_2" => ScalarValue::F64(c::FRAC_PI_2),
        "M_PI_4" => ScalarValue::F64(c::FRAC_PI_4),
        "M_1_PI" => ScalarValue::F64(c::FRAC_1_PI),
        "M_2_PI" => ScalarValue::F64(c::FRAC_2_PI),
        "M_2_SQRTPI" => ScalarValue::F64(c::FRAC_2_SQRT_PI),
        "M_E" => ScalarValue::F64(c::E),
        "M_LOG2E" => ScalarValue::F64(c::LOG2_E),
        "M_LOG10E" => ScalarValue::F64(c::LOG10_E),
        "M_LN2" => ScalarValue::F64(c::LN_2),
        "M_LN10" => ScalarValue::F64(c::LN_10),
        "M_SQRT2" => ScalarValue::F64(c::SQRT_2),
        "M_SQRT1_2" => ScalarValue::F64(c::FRAC_1_SQRT_2),
        "DBL_EPSILON" => ScalarValue::F64(f64::EPSILON),
        "DBL_MAX" => ScalarValue::F64(f64::MAX),
        "DBL_MIN" => ScalarValue::F64(f64::MIN_POSITIVE),
        "FLT_EPSILON" => ScalarValue::F32(f32::EPSILON),
        "FLT_MAX" => ScalarValue::F32(f32::MAX),
        "FLT_MIN" => ScalarValue::F32(f32::MIN_POSITIVE),
        "INFINITY" | "HUGE_VALF" => ScalarValue::F32(f32::INFINITY),
        "HUGE_VAL" => ScalarValue::F64(f64::INFINITY),
        "NAN" => ScalarValue::F32(f32::NAN),
        "INT_MAX" | "INT32_MAX" => ScalarValue::I32(i32::MAX),
        "INT_MIN" | "INT32_MIN" => ScalarValue::I32(i32::MIN),
        "UINT_MAX" | "UINT32_MAX" => ScalarValue::U32(u32::MAX),
        "LONG_MAX" | "LLONG_MAX" | "INT64_MAX" => ScalarValue::I64(i64::MAX),
        "LONG_MIN" | "LLONG_MIN" | "INT64_MIN" => ScalarValue::I64(i64::MIN),
        "ULONG_MAX" | "ULLONG_MAX" | "UINT64_MAX" => ScalarValue::U64(u64::MAX),
        _ => return None,
    })
}

impl Lowering<'_, '_> {
    /// A call of a built-in function; `None` where `name` is none.
    ///
    /// The type follows C's arithmetic conversions over all arguments, so that `sqrt` of a `float` is a `float` as in
    /// CUDA, OpenCL and C++; integers count as `double` where the function is one of floats.
    pub(super) fn math_call(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Option<Lowered<Value>> {
        if let "exp10" | "exp10f" | "__exp10f" = name {
            let forced = (name != "exp10").then_some(Scalar::F32);
            return Some(self.power_of_ten(name, forced, arguments, span).map(Value::Scalar));
        }
        if let Some(&(_, function, forced)) = BITS.iter().find(|of| of.0 == name) {
            return Some(self.bits(name, function, forced, arguments, span).map(Value::Scalar));
        }
        if let Some(&(_, given, result)) = REINTERPRETED.iter().find(|of| of.0 == name) {
            return Some(self.reinterpreted(name, given, result, arguments, span).map(Value::Scalar));
        }
        let Builtin { function, forced } = builtin(name)?;
        Some(self.math_value(name, function, forced, arguments, span))
    }

    /// A number whose bits are those of another one.
    fn reinterpreted(
        &mut self,
        name: &str,
        given: Option<Scalar>,
        result: Scalar,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Lowered<Expr> {
        let [argument] = arguments else {
            let message = format!("`{name}` takes 1 argument, not {}", arguments.len());
            return Err(self.error(rules::ARGUMENT_COUNT, span, message));
        };
        let (value, scalar) = self.number(argument)?;
        let value = implicit(value, given.unwrap_or(common(scalar, scalar)));
        let own = given.unwrap_or(common(scalar, scalar));
        if own.bytes() != result.bytes() {
            let message = format!(
                "`{name}` takes {} bits, and a `{}` has {}",
                8 * result.bytes(),
                own.okl_name(),
                8 * own.bytes()
            );
            return Err(self.error(rules::WRONG_ARGUMENT, argument.span, message));
        }
        let unsigned = if result.bytes() == 8 { Scalar::U64 } else { Scalar::U32 };
        Ok(match (own.is_float(), result.is_float()) {
            (true, true) => value,
            (true, false) => implicit(math(MathFn::BitsOf, vec![value], span), result),
            (false, true) => math(MathFn::FromBits, vec![implicit(value, unsigned)], span),
            (false, false) => implicit(value, result),
        })
    }

    /// Counts bits of an integer; the result is an `int`.
    fn bits(
        &mut self,
        name: &str,
        function: Bits,
        forced: Option<Scalar>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Lowered<Expr> {
        let [argument] = arguments else {
            let message = format!("`{name}` takes 1 argument, not {}", arguments.len());
            return Err(self.error(rules::ARGUMENT_COUNT, span, message));
        };
        let (value, scalar) = self.number(argument)?;
        if scalar.is_float() {
            let message = format!("`{name}` counts the bits of an integer, not of a `{}`", scalar.okl_name());
            return Err(self.error(rules::WRONG_ARGUMENT, argument.span, message));
        }
        let unsigned = if common(scalar, scalar).bytes() == 8 { Scalar::U64 } else { Scalar::U32 };
        let value = implicit(implicit(value, common(scalar, scalar)), forced.unwrap_or(unsigned));
        let int = |value| implicit(value, Scalar::I32);
        let Bits::FirstSet = function else {
            let function = match function {
                Bits::Leading => MathFn::Clz,
                Bits::Trailing => MathFn::Ctz,
                _ => MathFn::Popcount,
            };
            return Ok(int(math(function, vec![value], span)));
        };
        let value = self.held(value, "bits");
        let none = Expr::int(0, value.ty.scalar().unwrap_or(unsigned), span);
        let is_zero = binary(BinaryOp::Eq, value.clone(), none, span);
        let [zero, one] = [0, 1].map(|number| Expr::int(number, Scalar::I32, span));
        let place = binary(BinaryOp::Add, int(math(MathFn::Ctz, vec![value], span)), one, span);
        Ok(select(is_zero, zero, place, span))
    }

    /// `exp10(x)` is `pow(10, x)`.
    fn power_of_ten(
        &mut self,
        name: &str,
        forced: Option<Scalar>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Lowered<Expr> {
        let [argument] = arguments else {
            let message = format!("`{name}` takes 1 argument, not {}", arguments.len());
            return Err(self.error(rules::ARGUMENT_COUNT, span, message));
        };
        let (value, scalar) = self.number(argument)?;
        let ty = forced.unwrap_or(common(scalar, scalar));
        let ty = if ty.is_float() { ty } else { Scalar::F64 };
        let ten = implicit(Expr::int(10, Scalar::I32, span), ty);
        Ok(math(MathFn::Pow, vec![ten, implicit(value, ty)], span))
    }

    fn math_value(
        &mut self,
        name: &str,
        function: MathFn,
        forced: Option<Scalar>,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Lowered<Value> {
        let expected = function.arity();
        if arguments.len() != expected {
            let plural = if expected == 1 { "" } else { "s" };
            return Err(self.error(
                rules::ARGUMENT_COUNT,
                span,
                format!("`{name}` takes {expected} argument{plural}, not {}", arguments.len()),
            ));
        }
        let mut given = Vec::with_capacity(expected);
        for argument in arguments {
            given.push(self.value(argument)?);
        }
        if given.iter().any(|value| self.is_complex(value)) {
            return self.math_of_complex(name, (function, forced), given, span);
        }
        let mut values = Vec::with_capacity(expected);
        let mut ty: Option<Scalar> = None;
        for (value, argument) in given.into_iter().zip(arguments) {
            let (value, scalar) = self.number_of(value, argument.span)?;
            ty = Some(ty.map_or(common(scalar, scalar), |ty| common(ty, scalar)));
            values.push(value);
        }
        let ty = forced.or(ty).unwrap_or(Scalar::F64);
        let (function, ty) = match (function, ty.is_float()) {
            (MathFn::IntAbs, true) => (MathFn::Abs, ty),
            (MathFn::IntMin, true) => (MathFn::Fmin, ty),
            (MathFn::IntMax, true) => (MathFn::Fmax, ty),
            (MathFn::IntAbs | MathFn::IntMin | MathFn::IntMax, false) | (_, true) => (function, ty),
            (_, false) => (function, Scalar::F64),
        };
        let values = values.into_iter().map(|value| implicit(value, ty)).collect();
        Ok(Value::Scalar(math(function, values, span)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_function_and_type() {
        let of = |name| builtin(name).map(|b| (b.function, b.forced));
        assert_eq!(of("sqrt"), Some((MathFn::Sqrt, None)));
        assert_eq!(of("sqrtf"), Some((MathFn::Sqrt, Some(Scalar::F32))));
        assert_eq!(of("erf"), Some((MathFn::Erf, None)));
        assert_eq!(of("erff"), Some((MathFn::Erf, Some(Scalar::F32))));
        assert_eq!(of("fabsf"), Some((MathFn::Abs, Some(Scalar::F32))));
        assert_eq!(of("absf"), None);
        assert_eq!(of("maxf"), None);
        assert_eq!(of("printf"), None);
    }
}
