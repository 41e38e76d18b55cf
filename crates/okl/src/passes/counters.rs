//! What counts items and iterations from one number to another, and between which values.

use crate::ir::affine::Limits;
use crate::ir::{Axis, BinaryOp, Expr, ExprKind, Initializer, Loop, Scalar, Stmt, StmtKind, Uses, VarId};

/// Smallest and largest value of an axis.
pub(super) fn axis_limits(axis: &Axis) -> Option<Limits> {
    let (start, step, count) = (axis.start.as_int()?, axis.step.as_int()?, axis.count.as_int()?);
    let last = start.checked_add(step.checked_mul(count.max(1) - 1)?)?;
    Some((Some(start.min(last)), Some(start.max(last))))
}

/// `counter += step` or `counter = counter + step`
pub(super) fn advanced(stmt: &Stmt) -> Option<(VarId, &Expr)> {
    let StmtKind::Assign { place, op, value } = &stmt.kind else { return None };
    let is_counter =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Load(of) if of.path.is_empty() && of.root == place.root);
    let step = match (op, &value.kind) {
        (Some(BinaryOp::Add), _) => value,
        (None, ExprKind::Binary(BinaryOp::Add, a, b)) if is_counter(a) => b,
        (None, ExprKind::Binary(BinaryOp::Add, a, b)) if is_counter(b) => a,
        _ => return None,
    };
    (place.path.is_empty() && !Uses::of_expr(step).mentioned.contains(&place.root)).then_some((place.root, step))
}

/// `counter < bound` or `counter <= bound`, in signed integers that hold both. A counter of fewer bits than an `int` has
/// may wrap before it gets there; of a wider one, C says that it does not.
pub(super) fn bound_of(condition: &Expr, counter: VarId) -> Option<(BinaryOp, &Expr)> {
    let ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = &condition.kind else { return None };
    let mut value = a.as_ref();
    while let ExprKind::Cast { value: inner, .. } = &value.kind
        && value.ty.scalar().zip(inner.ty.scalar()).is_some_and(|(to, from)| {
            to.is_integer() && to.is_signed() && from.is_signed() && to.bytes() >= from.bytes()
        })
    {
        value = inner;
    }
    let is_counter = matches!(&value.kind, ExprKind::Load(place) if place.path.is_empty() && place.root == counter)
        && matches!(value.ty.scalar(), Some(Scalar::I32 | Scalar::I64));
    let is_signed = b.ty.scalar().is_some_and(|ty| ty.is_integer() && ty.is_signed());
    (is_counter && is_signed && !Uses::of_expr(b).mentioned.contains(&counter)).then_some((*op, b.as_ref()))
}

/// The counter of a loop that goes up, and its smallest and largest value in the body.
pub(super) fn counter_limits(l: &Loop) -> Option<(VarId, Limits)> {
    let counter = l.variable()?;
    let [Stmt { kind: StmtKind::Declare { init: Some(Initializer::Value(first)), .. }, .. }] = l.init.as_slice() else {
        return None;
    };
    let [update] = l.update.as_slice() else { return None };
    let goes_up = advanced(update)
        .is_some_and(|(advanced, step)| advanced == counter && step.as_int().is_some_and(|step| step > 0));
    let uses = Uses::of(&l.body);
    let is_touched = uses.assigned.contains(&counter) || uses.addressed.contains(&counter);
    if !goes_up || is_touched || l.test_last || !l.head.is_empty() {
        return None;
    }
    let (op, bound) = bound_of(l.condition.as_ref()?, counter)?;
    let (first, bound) = (first.as_int()?, bound.as_int()?);
    let last = bound.saturating_sub(i64::from(op == BinaryOp::Lt));
    Some((counter, (Some(first), Some(last.max(first)))))
}

/// How often a loop from one number to another runs.
pub(crate) fn iterations(init: &[Stmt], condition: &Expr, update: &[Stmt]) -> Option<i64> {
    let ([init], [update]) = (init, update) else { return None };
    let (counter, step) = advanced(update)?;
    let StmtKind::Declare { init: Some(Initializer::Value(first)), .. } = &init.kind else { return None };
    let (op, bound) = bound_of(condition, counter)?;
    let (first, bound, step) = (first.as_int()?, bound.as_int()?, step.as_int().filter(|&step| step > 0)?);
    let last = bound.checked_add(i64::from(op == BinaryOp::Le))?;
    Some(last.checked_sub(first)?.max(0).checked_add(step - 1)? / step)
}
