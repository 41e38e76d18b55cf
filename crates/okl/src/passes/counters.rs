//! What counts items and turns from one number to another, and between which values.

use crate::ir::affine::Limits;
use crate::ir::{Axis, BinaryOp, ExprKind, Initializer, Loop, Stmt, StmtKind, Uses, VarId};

/// Smallest and largest value of an axis.
pub(super) fn axis_limits(axis: &Axis) -> Option<Limits> {
    let (start, step, count) = (axis.start.as_int()?, axis.step.as_int()?, axis.count.as_int()?);
    let last = start.checked_add(step.checked_mul(count.max(1) - 1)?)?;
    Some((Some(start.min(last)), Some(start.max(last))))
}

/// The counter of a loop that goes up, and its smallest and largest value in the body.
pub(super) fn counter_limits(l: &Loop) -> Option<(VarId, Limits)> {
    let counter = l.variable()?;
    let [Stmt { kind: StmtKind::Declare { init: Some(Initializer::Value(first)), .. }, .. }] = l.init.as_slice() else {
        return None;
    };
    let ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = &l.condition.as_ref()?.kind else { return None };
    let is_counter = matches!(&a.kind, ExprKind::Load(of) if of.path.is_empty() && of.root == counter);
    let advances = |stmt: &Stmt| {
        matches!(&stmt.kind, StmtKind::Assign { place, op: Some(BinaryOp::Add), value }
            if place.root == counter && value.as_int().is_some_and(|step| step > 0))
    };
    let is_counted = l.head.is_empty() && is_counter && matches!(l.update.as_slice(), [update] if advances(update));
    let uses = Uses::of(&l.body);
    if !is_counted || l.test_last || uses.assigned.contains(&counter) || uses.addressed.contains(&counter) {
        return None;
    }
    let (first, bound) = (first.as_int()?, b.as_int()?);
    let last = bound.saturating_sub(i64::from(*op == BinaryOp::Lt));
    Some((counter, (Some(first), Some(last.max(first)))))
}
