//! What a returned expression reads, and what it computes of that.

use crate::ir::rewrite::without_spans;
use crate::ir::{BinaryOp, Body, Expr, ExprKind, Projection, Role, Scalar, UnaryOp, VarId};
use crate::passes::lanes::{is_instruction, is_of_vectors};

/// A part of an expression that is evaluated where the expression stands.
pub(super) struct Leaf {
    /// What a reader would call it.
    pub(super) name: String,
    pub(super) ty: Scalar,
    pub(super) value: Expr,
}

/// An expression, cut where the arithmetic of floats begins.
pub(super) struct Leaves<'a> {
    body: &'a Body,
    /// The number of the first leaf.
    first: usize,
    /// In the order of evaluation.
    pub(super) leaves: Vec<Leaf>,
    /// The arithmetic has elementary functions.
    pub(super) is_work: bool,
}

impl<'a> Leaves<'a> {
    pub(super) fn new(body: &'a Body, first: usize) -> Self {
        Self { body, first, leaves: Vec::new(), is_work: false }
    }

    /// The arithmetic, on variables that are the numbers of leaves.
    pub(super) fn sunk(&mut self, expr: &Expr) -> Expr {
        if !self.is_arithmetic(expr) {
            return self.leaf(expr);
        }
        let mut sunk = |part: &Expr| Box::new(self.sunk(part));
        let kind = match &expr.kind {
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, sunk(a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, sunk(a), sunk(b)),
            ExprKind::Cast { value, implicit } => ExprKind::Cast { value: sunk(value), implicit: *implicit },
            ExprKind::Select(condition, a, b) => ExprKind::Select(sunk(condition), sunk(a), sunk(b)),
            ExprKind::Math(function, arguments) => {
                let operand = arguments.first().and_then(|argument| argument.ty.scalar());
                self.is_work |= operand.is_some_and(|operand| is_of_vectors(*function, operand));
                ExprKind::Math(*function, arguments.iter().map(|argument| self.sunk(argument)).collect())
            }
            other => other.clone(),
        };
        Expr { kind, ..expr.clone() }
    }

    /// Whether an operator's result is found as well by all lanes.
    fn is_arithmetic(&self, expr: &Expr) -> bool {
        let is_result = is_float(expr) || expr.ty == Scalar::Bool.into();
        is_result
            && match &expr.kind {
                ExprKind::Literal(_) => true,
                ExprKind::Unary(UnaryOp::Negate | UnaryOp::Not, _) => true,
                ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, _, b) => self.is_free(b),
                ExprKind::Binary(_, a, _) => is_float(a),
                ExprKind::Cast { value, .. } => is_float(value),
                ExprKind::Select(_, a, b) => self.is_free(a) && self.is_free(b),
                ExprKind::Math(function, arguments) => arguments.iter().all(|argument| {
                    let operand = argument.ty.scalar().filter(|_| is_float(argument));
                    operand.is_some_and(|operand| is_instruction(*function) || is_of_vectors(*function, operand))
                }),
                _ => false,
            }
    }

    /// Whether it may be evaluated where its condition does not hold: it reads variables that have a value, and cannot trap.
    fn is_free(&self, expr: &Expr) -> bool {
        expr.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                let variable = self.body.var(place.root);
                let has_value = variable.is_const || matches!(variable.role, Role::Param(_));
                has_value && place.path.iter().all(|of| matches!(of, Projection::Field(_)))
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => b.divides_anything(),
            ExprKind::Call(..) => false,
            _ => true,
        })
    }

    fn leaf(&mut self, expr: &Expr) -> Expr {
        let value = without_spans(expr);
        let known = self.leaves.iter().position(|leaf| without_spans(&leaf.value) == value);
        let number = known.unwrap_or_else(|| {
            let name = match &expr.kind {
                ExprKind::Load(place) => self.body.var(place.root).name.clone(),
                _ => "read".to_owned(),
            };
            let ty = expr.ty.scalar().unwrap_or_else(|| unreachable!("operands of arithmetic are numbers"));
            self.leaves.push(Leaf { name, ty, value: expr.clone() });
            self.leaves.len() - 1
        });
        Expr::var(VarId((self.first + number) as u32), expr.ty.clone(), expr.span)
    }
}

fn is_float(expr: &Expr) -> bool {
    matches!(expr.ty.scalar(), Some(Scalar::F32 | Scalar::F64))
}
