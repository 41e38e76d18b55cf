//! The built-in functions on values, and how far a target may be from them.
//!
//! `std` forwards most of them to the platform's C library; `libm` gives those that `std` lacks, or computes by a
//! formula of its own (`asinh`, `acosh`, `atanh`).

use super::{Result, ScalarValue, Trap, fit};
use crate::ir::{MathFn, Scalar};

/// The value of `function`; `Fmin` and friends take floats of one type, `Int…` integers of one type.
/// # Errors
/// [`Trap::Type`] for arguments of another number or type, [`Trap::Overflow`] for `abs` of the least integer.
pub fn evaluate(function: MathFn, arguments: &[ScalarValue]) -> Result {
    let first = *arguments.first().ok_or(Trap::Type(Scalar::Bool))?;
    if arguments.len() != function.arity() || arguments.iter().any(|a| a.ty() != first.ty()) {
        return Err(Trap::Type(first.ty()));
    }
    match first {
        _ if matches!(function, MathFn::BitsOf | MathFn::FromBits) => reinterpreted(function, first),
        ScalarValue::F64(a) => {
            let at = |n: usize| match arguments.get(n) {
                Some(ScalarValue::F64(v)) => *v,
                _ => 0.0,
            };
            double(function, a, at(1), at(2))
        }
        ScalarValue::F32(a) => {
            let at = |n: usize| match arguments.get(n) {
                Some(ScalarValue::F32(v)) => *v,
                _ => 0.0,
            };
            single(function, a, at(1), at(2))
        }
        _ => integer(function, first, arguments.get(1).copied().unwrap_or(first)),
    }
}

/// The same bits as a number of another type.
fn reinterpreted(function: MathFn, value: ScalarValue) -> Result {
    match (function, value) {
        (MathFn::BitsOf, ScalarValue::F32(a)) => Ok(ScalarValue::U32(a.to_bits())),
        (MathFn::BitsOf, ScalarValue::F64(a)) => Ok(ScalarValue::U64(a.to_bits())),
        (MathFn::FromBits, ScalarValue::U32(a)) => Ok(ScalarValue::F32(f32::from_bits(a))),
        (MathFn::FromBits, ScalarValue::U64(a)) => Ok(ScalarValue::F64(f64::from_bits(a))),
        _ => Err(Trap::Type(value.ty())),
    }
}

/// How many units in the last place a target's result may differ from [`evaluate`]'s, for a finite result: 0 where
/// the function is exact or correctly rounded everywhere.
pub const fn tolerance_ulp(function: MathFn) -> u32 {
    match function {
        MathFn::Sqrt
        | MathFn::Abs
        | MathFn::Floor
        | MathFn::Ceil
        | MathFn::Round
        | MathFn::Rint
        | MathFn::Trunc
        | MathFn::Fmod
        | MathFn::Fma
        | MathFn::Fmin
        | MathFn::Fmax
        | MathFn::Copysign
        | MathFn::IsNan
        | MathFn::IsInf
        | MathFn::IsFinite
        | MathFn::IntAbs
        | MathFn::IntMin
        | MathFn::IntMax
        | MathFn::Popcount
        | MathFn::Clz
        | MathFn::Ctz
        | MathFn::BitsOf
        | MathFn::FromBits
        | MathFn::Opaque => 0,
        MathFn::Rsqrt | MathFn::Cbrt | MathFn::Hypot => 2,
        MathFn::Exp | MathFn::Exp2 | MathFn::Expm1 | MathFn::Log | MathFn::Log2 | MathFn::Log10 | MathFn::Log1p => 3,
        MathFn::Sin | MathFn::Cos | MathFn::Tan | MathFn::Asin | MathFn::Acos | MathFn::Atan | MathFn::Atan2 => 4,
        MathFn::Pow | MathFn::Sinh | MathFn::Cosh | MathFn::Tanh => 4,
        MathFn::Asinh | MathFn::Acosh | MathFn::Atanh | MathFn::Erf | MathFn::Erfc => 6,
        MathFn::Tgamma | MathFn::Lgamma => 16,
    }
}

macro_rules! float_functions {
    ($name:ident, $float:ident, $variant:ident, $scalar:expr, $libm:tt) => {
        fn $name(function: MathFn, a: $float, b: $float, c: $float) -> Result {
            let value = match function {
                MathFn::Sqrt => a.sqrt(),
                MathFn::Rsqrt => 1.0 / a.sqrt(),
                MathFn::Cbrt => a.cbrt(),
                MathFn::Abs => a.abs(),
                MathFn::Exp => a.exp(),
                MathFn::Exp2 => a.exp2(),
                MathFn::Expm1 => a.exp_m1(),
                MathFn::Log => a.ln(),
                MathFn::Log2 => a.log2(),
                MathFn::Log10 => a.log10(),
                MathFn::Log1p => a.ln_1p(),
                MathFn::Pow => a.powf(b),
                MathFn::Sin => a.sin(),
                MathFn::Cos => a.cos(),
                MathFn::Tan => a.tan(),
                MathFn::Asin => a.asin(),
                MathFn::Acos => a.acos(),
                MathFn::Atan => a.atan(),
                MathFn::Atan2 => a.atan2(b),
                MathFn::Sinh => a.sinh(),
                MathFn::Cosh => a.cosh(),
                MathFn::Tanh => a.tanh(),
                MathFn::Asinh => from_libm!($libm, asinh, asinhf, a),
                MathFn::Acosh => from_libm!($libm, acosh, acoshf, a),
                MathFn::Atanh => from_libm!($libm, atanh, atanhf, a),
                MathFn::Erf => from_libm!($libm, erf, erff, a),
                MathFn::Erfc => from_libm!($libm, erfc, erfcf, a),
                MathFn::Tgamma => from_libm!($libm, tgamma, tgammaf, a),
                MathFn::Lgamma => from_libm!($libm, lgamma, lgammaf, a),
                MathFn::Floor => a.floor(),
                MathFn::Ceil => a.ceil(),
                MathFn::Round => a.round(),
                MathFn::Rint => a.round_ties_even(),
                MathFn::Trunc => a.trunc(),
                MathFn::Fmod => a % b,
                MathFn::Hypot => a.hypot(b),
                MathFn::Fma => a.mul_add(b, c),
                MathFn::Fmin => a.min(b),
                MathFn::Fmax => a.max(b),
                MathFn::Copysign => a.copysign(b),
                MathFn::IsNan => return Ok(ScalarValue::Bool(a.is_nan())),
                MathFn::IsInf => return Ok(ScalarValue::Bool(a.is_infinite())),
                MathFn::IsFinite => return Ok(ScalarValue::Bool(a.is_finite())),
                MathFn::IntAbs
                | MathFn::IntMin
                | MathFn::IntMax
                | MathFn::Popcount
                | MathFn::Clz
                | MathFn::Ctz
                | MathFn::BitsOf
                | MathFn::FromBits
                | MathFn::Opaque => return Err(Trap::Type($scalar)),
            };
            Ok(ScalarValue::$variant(value))
        }
    };
}

macro_rules! from_libm {
    (double, $double:ident, $single:ident, $a:expr) => {
        libm::$double($a)
    };
    (single, $double:ident, $single:ident, $a:expr) => {
        libm::$single($a)
    };
}

float_functions!(double, f64, F64, Scalar::F64, double);
float_functions!(single, f32, F32, Scalar::F32, single);

fn integer(function: MathFn, a: ScalarValue, b: ScalarValue) -> Result {
    let ty = a.ty();
    let (x, y) = (a.integer().ok_or(Trap::Type(ty))?, b.integer().ok_or(Trap::Type(ty))?);
    match function {
        MathFn::Opaque => Ok(a),
        MathFn::IntAbs => fit(x.abs(), ty),
        MathFn::IntMin => Ok(if y < x { b } else { a }),
        MathFn::IntMax => Ok(if y > x { b } else { a }),
        _ if !function.is_of_bits() || ty.is_signed() => Err(Trap::Type(ty)),
        MathFn::Popcount => fit(x.count_ones().into(), ty),
        MathFn::Clz => fit(x.leading_zeros() as i128 - 128 + 8 * ty.bytes() as i128, ty),
        MathFn::Ctz => fit((x.trailing_zeros() as i128).min(8 * ty.bytes() as i128), ty),
        _ => Err(Trap::Type(ty)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_works_in_the_types_it_is_for() {
        for &function in MathFn::ALL {
            let is_integer = function.is_of_integers();
            for value in [ScalarValue::F64(1.0), ScalarValue::F32(1.0), ScalarValue::I32(1), ScalarValue::U64(1)] {
                let arguments = [value; 3];
                let got = evaluate(function, &arguments[..function.arity()]);
                let is_for = value.ty().is_float() != is_integer && !(function.is_of_bits() && value.ty().is_signed());
                assert_eq!(got.is_ok(), is_for, "{} of {value:?}: {got:?}", function.name());
            }
        }
    }

    #[test]
    fn single_precision_is_computed_in_single_precision() {
        let x = 0.7f32;
        assert_eq!(evaluate(MathFn::Fma, &[x.into(), x.into(), x.into()]), Ok(x.mul_add(x, x).into()));
        assert_eq!(evaluate(MathFn::Rsqrt, &[x.into()]), Ok((1.0 / x.sqrt()).into()));
    }

    #[test]
    fn rint_goes_to_even_and_round_away_from_zero() {
        assert_eq!(evaluate(MathFn::Rint, &[2.5.into()]), Ok(2.0.into()));
        assert_eq!(evaluate(MathFn::Round, &[(-2.5).into()]), Ok((-3.0).into()));
    }

    #[test]
    fn wrong_arguments_trap() {
        assert_eq!(evaluate(MathFn::Sin, &[]), Err(Trap::Type(Scalar::Bool)));
        assert_eq!(evaluate(MathFn::Pow, &[1.0.into(), 1.0f32.into()]), Err(Trap::Type(Scalar::F64)));
        assert_eq!(evaluate(MathFn::IntAbs, &[i32::MIN.into()]), Err(Trap::Overflow(Scalar::I32)));
    }
}
