//! How many groups and items a nest has: constants are folded when the kernel is loaded, and quotients, which is what most
//! bounds are, have a short way. Everything else is for okl's evaluator.

use super::numbers::Numbers;
use crate::Error;
use crate::backend::LaunchDims;
use okl::ir::{BinaryOp, Literal, Scalar};
use okl::signature::{self, HostError, HostExpr, HostExprKind, HostPart, NestSignature};

/// The sizes of a nest along its six axes.
pub(super) struct NestSizes {
    /// The sizes that are constant, 1 for the others.
    constant: LaunchDims,
    /// The others: index among outer axes 0, 1, 2, then inner axes 0, 1, 2.
    others: Box<[(usize, Size)]>,
}

enum Size {
    Constant(u64),
    Quotient(Quotient),
    /// The maximum over the expressions that the signature has for this axis.
    Computed,
}

impl NestSizes {
    pub(super) fn new(nest: &NestSignature) -> Self {
        let mut constant = LaunchDims { outer: [1; 3], inner: [1; 3] };
        let mut others = Vec::new();
        for axis in 0..6 {
            match Size::of(expressions(nest, axis)) {
                Size::Constant(count) => *size_mut(&mut constant, axis) = count,
                other => others.push((axis, other)),
            }
        }
        Self { constant, others: others.into() }
    }

    /// The sizes of one launch; `None` where there is nothing to do. There are no host variables.
    pub(super) fn evaluate(
        &self,
        nest: u32,
        signature: &NestSignature,
        numbers: &Numbers<'_>,
    ) -> Result<Option<LaunchDims>, HostError<Error>> {
        let mut dims = self.constant;
        for (axis, size) in &self.others {
            let part = match *axis as u8 {
                axis @ 0..3 => HostPart::Outer { nest, axis },
                axis => HostPart::Inner { nest, axis: axis - 3 },
            };
            let count = size.evaluate(expressions(signature, *axis), numbers, part)?;
            *size_mut(&mut dims, *axis) = count;
        }
        if dims.outer.contains(&0) || dims.inner.contains(&0) {
            return Ok(None);
        }
        for (sizes, part) in
            [(&dims.outer, HostPart::Outer { nest, axis: 0 }), (&dims.inner, HostPart::Inner { nest, axis: 0 })]
        {
            let total = sizes.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
            if total.is_none_or(|total| total > i64::MAX as u64) {
                return Err(HostError::Size(part));
            }
        }
        Ok(Some(dims))
    }
}

fn expressions(nest: &NestSignature, axis: usize) -> &[HostExpr] {
    match axis {
        0..3 => std::slice::from_ref(&nest.outer[axis]),
        _ => &nest.inner[axis - 3],
    }
}

fn size_mut(dims: &mut LaunchDims, axis: usize) -> &mut u64 {
    match axis {
        0..3 => &mut dims.outer[axis],
        _ => &mut dims.inner[axis - 3],
    }
}

impl Size {
    fn of(expressions: &[HostExpr]) -> Self {
        let constant = |expr: &HostExpr| match expr.kind {
            HostExprKind::Literal(Literal::Int(value)) if expr.ty != Scalar::U64 => Some(value.max(0) as u64),
            _ => None,
        };
        if let [expr] = expressions
            && let Some(quotient) = Quotient::of(expr)
        {
            return Self::Quotient(quotient);
        }
        match expressions {
            // An axis that the nest does not have counts one.
            [] => Self::Constant(1),
            _ => expressions
                .iter()
                .map(constant)
                .try_fold(0, |most, n| n.map(|n| n.max(most)))
                .map_or(Self::Computed, Self::Constant),
        }
    }

    #[inline]
    fn evaluate(
        &self,
        expressions: &[HostExpr],
        numbers: &Numbers<'_>,
        part: HostPart,
    ) -> Result<u64, HostError<Error>> {
        match self {
            Self::Constant(count) => return Ok(*count),
            Self::Quotient(quotient) => {
                if let Some(count) = quotient.evaluate(numbers) {
                    return Ok(count);
                }
            }
            Self::Computed => {}
        }
        let mut most = 0;
        for expr in expressions {
            most = most.max(count(expr, numbers, part)?);
        }
        Ok(most)
    }
}

/// `(parameter + offset) / divisor`, which is what `@tile` and most loops make of their bounds.
#[derive(Debug, PartialEq)]
struct Quotient {
    param: u32,
    offset: i64,
    divisor: i64,
    /// Up to this magnitude of the parameter no part of the expression leaves its type.
    limit: i64,
}

impl Quotient {
    fn of(expr: &HostExpr) -> Option<Self> {
        let (sum, divisor) = match &expr.kind {
            HostExprKind::Binary(BinaryOp::Div, sum, divisor) => match divisor.kind {
                HostExprKind::Literal(Literal::Int(divisor)) if divisor > 0 => (&**sum, divisor),
                _ => return None,
            },
            _ => (expr, 1),
        };
        let (param, offset, most) = Self::sum(sum)?;
        let limit = i64::from(i32::MAX).checked_sub(most)?;
        let is_signed = matches!(expr.ty, Scalar::I32 | Scalar::I64);
        (is_signed && limit >= 0).then_some(Self { param, offset, divisor, limit })
    }

    /// The parameter, what is added to it, and the sum of the magnitudes of that.
    fn sum(mut expr: &HostExpr) -> Option<(u32, i64, i64)> {
        let literal = |expr: &HostExpr| match expr.kind {
            HostExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        };
        let (mut offset, mut most) = (0i64, 0i64);
        loop {
            if !matches!(expr.ty, Scalar::I32 | Scalar::I64) {
                return None;
            }
            let (inner, added) = match &expr.kind {
                HostExprKind::Param(position) => return Some((*position, offset, most)),
                HostExprKind::Cast(inner) => (inner, 0),
                HostExprKind::Binary(BinaryOp::Add, a, b) => match (literal(a), literal(b)) {
                    (_, Some(value)) => (a, value),
                    (Some(value), _) => (b, value),
                    _ => return None,
                },
                HostExprKind::Binary(BinaryOp::Sub, a, b) => (a, literal(b)?.checked_neg()?),
                _ => return None,
            };
            most = most.checked_add(added.checked_abs()?)?;
            offset = offset.checked_add(added)?;
            expr = inner;
        }
    }

    #[inline]
    fn evaluate(&self, numbers: &Numbers<'_>) -> Option<u64> {
        let value = numbers.get(self.param)?.size()?;
        let fits = (-self.limit..=self.limit).contains(&value);
        fits.then(|| ((value + self.offset) / self.divisor).max(0) as u64)
    }
}

/// A count below zero is zero.
fn count(expr: &HostExpr, numbers: &Numbers<'_>, part: HostPart) -> Result<u64, HostError<Error>> {
    let value = signature::evaluate(expr, numbers, &[]).map_err(|trap| HostError::Arithmetic(part, trap))?;
    let value = value.integer().ok_or(HostError::Signature("a bound that is no integer"))?;
    u64::try_from(value.max(0)).ok().filter(|&n| n <= i64::MAX as u64).ok_or(HostError::Size(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arg, args};

    fn expr(ty: Scalar, kind: HostExprKind) -> HostExpr {
        HostExpr { ty, kind }
    }

    fn int(ty: Scalar, value: i64) -> Box<HostExpr> {
        Box::new(expr(ty, HostExprKind::Literal(Literal::Int(value))))
    }

    fn binary(ty: Scalar, op: BinaryOp, a: Box<HostExpr>, b: Box<HostExpr>) -> Box<HostExpr> {
        Box::new(expr(ty, HostExprKind::Binary(op, a, b)))
    }

    /// `((int64_t)(n + 1) - 1 + 255) / 256`
    fn tiles() -> HostExpr {
        use Scalar::{I32, I64};
        let n = Box::new(expr(I32, HostExprKind::Param(1)));
        let end = binary(I32, BinaryOp::Add, n, int(I32, 1));
        let wide = Box::new(expr(I64, HostExprKind::Cast(end)));
        let length = binary(I64, BinaryOp::Sub, wide, int(I64, 1));
        let rounded = binary(I64, BinaryOp::Add, length, int(I64, 255));
        *binary(I64, BinaryOp::Div, rounded, int(I64, 256))
    }

    #[test]
    fn a_quotient_counts_as_the_evaluator_does() {
        let tiles = tiles();
        let quotient = Quotient::of(&tiles).expect("it is one");
        let part = HostPart::Outer { nest: 0, axis: 0 };
        for n in [i32::MIN, -1000, -256, -255, -1, 0, 1, 255, 256, 257, 1_000_000, i32::MAX - 257, i32::MAX - 1] {
            let arguments: [Arg<'_>; 2] = args![1.5, n];
            let numbers = Numbers::new(&arguments);
            let expected = count(&tiles, &numbers, part).expect("nothing overflows");
            let size = Size::of(std::slice::from_ref(&tiles));
            let whole = size.evaluate(std::slice::from_ref(&tiles), &numbers, part).expect("it has a value");
            assert_eq!(whole, expected, "{n}");
            assert!(quotient.evaluate(&numbers).is_none_or(|count| count == expected), "{n}");
        }
        let arguments = args![1.5, 1000];
        assert_eq!(quotient.evaluate(&Numbers::new(&arguments)), Some(4));
    }

    #[test]
    fn what_overflows_is_left_to_the_evaluator() {
        let arguments = args![1.5, i32::MAX];
        let numbers = Numbers::new(&arguments);
        let tiles = tiles();
        assert_eq!(Quotient::of(&tiles).and_then(|quotient| quotient.evaluate(&numbers)), None);
        let part = HostPart::Outer { nest: 0, axis: 0 };
        let size = Size::of(std::slice::from_ref(&tiles));
        assert!(size.evaluate(std::slice::from_ref(&tiles), &numbers, part).is_err());
    }

    #[test]
    fn other_expressions_are_no_quotient() {
        use Scalar::{I32, I64, U32};
        let n = |ty| Box::new(expr(ty, HostExprKind::Param(0)));
        for other in [
            binary(I64, BinaryOp::Mul, n(I64), int(I64, 2)),
            binary(I64, BinaryOp::Sub, int(I64, 2), n(I64)),
            binary(I32, BinaryOp::Div, n(I32), int(I32, 0)),
            binary(I32, BinaryOp::Div, n(I32), int(I32, -2)),
            binary(U32, BinaryOp::Add, n(U32), int(U32, 2)),
            binary(I64, BinaryOp::Add, n(I64), int(I64, i64::MIN)),
            binary(I64, BinaryOp::Add, n(I64), n(I64)),
        ] {
            assert_eq!(Quotient::of(&other), None, "{other:?}");
        }
    }
}
