//! How many groups and items a nest has: constants are folded when the kernel is loaded.

use crate::Error;
use crate::backend::LaunchDims;
use okl::ir::{BinaryOp, Literal, Scalar};
use okl::signature::{self, HostError, HostExpr, HostExprKind, HostPart, NestSignature};
use okl::value::ScalarValue;

/// The sizes of a nest along its six axes.
pub(super) struct NestSizes {
    outer: [Size; 3],
    inner: [Size; 3],
}

enum Size {
    Constant(u64),
    /// The maximum over the expressions that the signature has for this axis.
    Computed,
}

impl NestSizes {
    pub(super) fn new(nest: &NestSignature) -> Self {
        let outer = |axis: usize| Size::of(std::slice::from_ref(&nest.outer[axis]));
        let inner = |axis: usize| Size::of(&nest.inner[axis]);
        Self {
            outer: [outer(0), outer(1), outer(2)],
            inner: [inner(0), inner(1), inner(2)],
        }
    }

    /// The sizes of one launch; `None` where there is nothing to do. There are no host variables.
    pub(super) fn evaluate(
        &self,
        nest: u32,
        signature: &NestSignature,
        values: &[Option<ScalarValue>],
    ) -> Result<Option<LaunchDims>, HostError<Error>> {
        let mut dims = LaunchDims {
            outer: [1; 3],
            inner: [1; 3],
        };
        for axis in 0..3usize {
            let part = HostPart::Outer {
                nest,
                axis: axis as u8,
            };
            dims.outer[axis] = self.outer[axis].evaluate(
                std::slice::from_ref(&signature.outer[axis]),
                values,
                part,
            )?;
            let part = HostPart::Inner {
                nest,
                axis: axis as u8,
            };
            dims.inner[axis] = self.inner[axis].evaluate(&signature.inner[axis], values, part)?;
        }
        if dims.outer.contains(&0) || dims.inner.contains(&0) {
            return Ok(None);
        }
        for (sizes, part) in [
            (&dims.outer, HostPart::Outer { nest, axis: 0 }),
            (&dims.inner, HostPart::Inner { nest, axis: 0 }),
        ] {
            let total = sizes
                .iter()
                .try_fold(1u64, |product, &n| product.checked_mul(n));
            if total.is_none_or(|total| total > i64::MAX as u64) {
                return Err(HostError::Size(part));
            }
        }
        Ok(Some(dims))
    }
}

impl Size {
    fn of(expressions: &[HostExpr]) -> Self {
        let constant = |expr: &HostExpr| match expr.kind {
            HostExprKind::Literal(Literal::Int(value)) if expr.ty != Scalar::U64 => {
                Some(value.max(0) as u64)
            }
            _ => None,
        };
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
        values: &[Option<ScalarValue>],
        part: HostPart,
    ) -> Result<u64, HostError<Error>> {
        if let Self::Constant(count) = self {
            return Ok(*count);
        }
        let mut most = 0;
        for expr in expressions {
            most = most.max(count(expr, values, part)?);
        }
        Ok(most)
    }
}

/// A count below zero is zero.
fn count(
    expr: &HostExpr,
    values: &[Option<ScalarValue>],
    part: HostPart,
) -> Result<u64, HostError<Error>> {
    if let Some(count) = quick(expr, values) {
        return Ok(count.max(0) as u64);
    }
    let value =
        signature::evaluate(expr, values, &[]).map_err(|trap| HostError::Arithmetic(part, trap))?;
    let value = value
        .integer()
        .ok_or(HostError::Signature("a bound that is no integer"))?;
    u64::try_from(value.max(0))
        .ok()
        .filter(|&n| n <= i64::MAX as u64)
        .ok_or(HostError::Size(part))
}

/// The value of the arithmetic that loop bounds are made of, in signed 64 bits; `None` for whatever else there is and
/// for every result that does not fit its type: the full evaluator then decides and words the error.
fn quick(expr: &HostExpr, values: &[Option<ScalarValue>]) -> Option<i64> {
    let value = match &expr.kind {
        HostExprKind::Literal(Literal::Int(value)) => *value,
        HostExprKind::Param(position) => match (*values.get(*position as usize)?)? {
            ScalarValue::I32(value) => i64::from(value),
            ScalarValue::I64(value) => value,
            ScalarValue::U32(value) => i64::from(value),
            _ => return None,
        },
        HostExprKind::Cast(inner) if inner.ty.is_integer() => quick(inner, values)?,
        HostExprKind::Binary(op, a, b) => {
            let (a, b) = (quick(a, values)?, quick(b, values)?);
            match op {
                BinaryOp::Add => a.checked_add(b)?,
                BinaryOp::Sub => a.checked_sub(b)?,
                BinaryOp::Mul => a.checked_mul(b)?,
                BinaryOp::Div => a.checked_div(b)?,
                BinaryOp::Rem => a.checked_rem(b)?,
                _ => return None,
            }
        }
        HostExprKind::Select(..) | HostExprKind::Literal(_) | HostExprKind::Cast(_) => return None,
        HostExprKind::Slot(_) | HostExprKind::Unary(..) | HostExprKind::Math(..) => return None,
    };
    match expr.ty {
        Scalar::I64 => Some(value),
        Scalar::I32 => i32::try_from(value).is_ok().then_some(value),
        Scalar::U32 => u32::try_from(value).is_ok().then_some(value),
        _ => None,
    }
}
