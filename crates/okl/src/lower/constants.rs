//! C's promotions and conversions, which become casts here: typed expressions built from typed parts.

use crate::ir::value::ScalarValue;
use crate::ir::{BinaryOp, Expr, Scalar, UnaryOp};
use crate::source::Span;

pub(super) use crate::ir::constants::{
    binary, constant, convert, evaluate, literal_of, math, scalar_of, select, unary, value_of,
};

/// `0`, `0.0` or `false`.
pub(super) fn zero(scalar: Scalar, span: Span) -> Expr {
    constant(ScalarValue::zero(scalar), span)
}

/// The value of an integer constant, whatever its type.
pub(super) fn integer_of(expr: &Expr) -> Option<i128> {
    value_of(expr)?.integer()
}

/// C's integer promotion; a storage float is computed with as a `float`.
pub(super) const fn promoted(scalar: Scalar) -> Scalar {
    scalar.computes_as()
}

/// C's usual arithmetic conversions.
pub(super) fn common(a: Scalar, b: Scalar) -> Scalar {
    // After promotion the order of the enum is C's order of ranks, unsigned after signed of the same width.
    promoted(a).max(promoted(b))
}

/// An implicit conversion.
pub(super) fn implicit(value: Expr, to: Scalar) -> Expr {
    convert(value, to, true)
}

/// `value` as a condition.
pub(super) fn truth(value: Expr) -> Expr {
    implicit(value, Scalar::Bool)
}

/// `!value`, for a condition.
pub(super) fn not(value: Expr) -> Expr {
    unary(UnaryOp::Not, value)
}

/// `left op right` under C's usual arithmetic conversions; `None` where C has no such operation (`%` on floats).
pub(super) fn arithmetic(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
    let (a, b) = (scalar_of(&left), scalar_of(&right));
    let integers_only = matches!(
        op,
        BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
    );
    if integers_only && (a.is_float() || b.is_float()) {
        return None;
    }
    Some(match op {
        BinaryOp::LogicAnd | BinaryOp::LogicOr => binary(op, truth(left), truth(right), span),
        BinaryOp::Shl | BinaryOp::Shr => binary(op, implicit(left, promoted(a)), implicit(right, promoted(b)), span),
        _ => {
            let ty = common(a, b);
            binary(op, implicit(left, ty), implicit(right, ty), span)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64, scalar: Scalar) -> Expr {
        Expr::int(value, scalar, Span::default())
    }

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(common(Scalar::Bool, Scalar::I16), Scalar::I32);
        assert_eq!(common(Scalar::I32, Scalar::U32), Scalar::U32);
        assert_eq!(common(Scalar::U32, Scalar::I64), Scalar::I64);
        assert_eq!(common(Scalar::U64, Scalar::F32), Scalar::F32);
        assert_eq!(common(Scalar::F32, Scalar::F64), Scalar::F64);
        assert_eq!(common(Scalar::F16, Scalar::F16), Scalar::F32);
        assert_eq!(common(Scalar::F16, Scalar::U64), Scalar::F32);
        assert_eq!(common(Scalar::F64, Scalar::F16), Scalar::F64);
    }

    #[test]
    fn integer_constants_fold_and_overflow_does_not() {
        let sum = arithmetic(BinaryOp::Add, int(2, Scalar::I32), int(3, Scalar::I64), Span::default());
        assert_eq!(sum, Some(int(5, Scalar::I64)));
        let max = int(i64::from(i32::MAX), Scalar::I32);
        let over = arithmetic(BinaryOp::Add, max, int(1, Scalar::I32), Span::default()).unwrap();
        assert_eq!(over.literal(), None);
        let wrapped = arithmetic(BinaryOp::Sub, int(0, Scalar::U32), int(1, Scalar::U32), Span::default()).unwrap();
        assert_eq!(wrapped.as_int(), Some(0xffff_ffff));
    }

    #[test]
    fn remainder_of_floats_is_refused() {
        let half = constant(ScalarValue::F64(0.5), Span::default());
        assert_eq!(arithmetic(BinaryOp::Rem, half.clone(), half, Span::default()), None);
    }
}
