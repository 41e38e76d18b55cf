//! The call of which a statement uses the value.

use crate::ir::{BinaryOp, Expr, ExprKind, Initializer, Projection, Stmt, StmtKind};

/// The call in the value of a statement that is always made, where it does not matter when the rest of the value is computed.
pub(super) fn of(stmt: &mut Stmt) -> Option<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Declare { init: Some(Initializer::Value(value)), .. } | StmtKind::Assign { value, .. } => {
            within(value)
        }
        _ => None,
    }
}

fn within(expr: &mut Expr) -> Option<&mut Expr> {
    if matches!(expr.kind, ExprKind::Call(..)) {
        return Some(expr);
    }
    match &mut expr.kind {
        ExprKind::Cast { value, .. } | ExprKind::Unary(_, value) => within(value),
        ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, ..) => None,
        ExprKind::Binary(_, a, b) => one_of([&mut **a, &mut **b].into_iter()),
        ExprKind::Math(_, arguments) => one_of(arguments.iter_mut()),
        _ => None,
    }
}

/// The call in the one operand that is more than [`is_plain`].
fn one_of<'a>(operands: impl Iterator<Item = &'a mut Expr>) -> Option<&'a mut Expr> {
    let mut others = operands.filter(|operand| !is_plain(operand));
    let operand = others.next()?;
    if others.next().is_some() { None } else { within(operand) }
}

/// Whether an expression is arithmetic on variables, which cannot trap.
fn is_plain(expr: &Expr) -> bool {
    expr.every(&|e| match &e.kind {
        ExprKind::Load(place) => place.path.iter().all(|of| matches!(of, Projection::Field(_))),
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => b.divides_anything(),
        ExprKind::Call(..) => false,
        _ => true,
    })
}
