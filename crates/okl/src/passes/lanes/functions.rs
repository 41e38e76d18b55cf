//! Functions that compilers make vectors of.

use crate::ir::{MathFn, Scalar};

/// Functions that processors have instructions for, in vectors too.
pub(in crate::passes) fn is_instruction(function: MathFn) -> bool {
    use MathFn::{
        Abs, Ceil, Copysign, Floor, Fma, Fmax, Fmin, IntMax, IntMin, IsFinite, IsInf, IsNan, Rint, Sqrt, Trunc,
    };
    matches!(
        function,
        Abs | Ceil
            | Copysign
            | Floor
            | Fma
            | Fmax
            | Fmin
            | IntMax
            | IntMin
            | IsFinite
            | IsInf
            | IsNan
            | Rint
            | Sqrt
            | Trunc
    )
}

/// Elementary functions that texts for a CPU have in a form of their own, of which compilers make vectors
/// (`back::cpu::math`).
pub(crate) fn is_of_vectors(function: MathFn, operand: Scalar) -> bool {
    use MathFn::{
        Acos, Asin, Atan, Atan2, Cbrt, Cos, Cosh, Erf, Erfc, Exp, Exp2, Expm1, Hypot, Log, Log1p, Log2, Log10, Pow,
        Sin, Sinh, Tan, Tanh,
    };
    match function {
        Atan2 | Erf | Erfc => operand == Scalar::F32,
        Acos | Asin | Atan | Cbrt | Cos | Cosh | Exp | Exp2 | Expm1 | Hypot | Log | Log1p | Log2 | Log10 | Pow
        | Sin | Sinh | Tan | Tanh => matches!(operand, Scalar::F32 | Scalar::F64),
        _ => false,
    }
}
