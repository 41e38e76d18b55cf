//! Constants in the place of variables, and what follows from them: sums, conditions, branches, checks.

use crate::ir::constants;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, Function, FunctionId, Initializer, Literal, Role, Stmt, StmtKind, Type,
    Uses, VarId, build,
};
use std::collections::BTreeMap;

/// Integers and truth values that variables have.
pub(super) type Values = BTreeMap<VarId, Expr>;

/// The expression with these values in it.
pub(super) fn valued(expr: &Expr, values: &Values) -> Expr {
    let mut expr = expr.clone();
    InExpr { functions: &[], values }.expr(&mut expr);
    expr
}

/// The variable that a statement declares for good, and its value.
pub(super) fn constant_of<'a>(body: &Body, stmt: &'a Stmt) -> Option<(VarId, &'a Expr)> {
    let StmtKind::Declare { var, init: Some(Initializer::Value(value)) } = &stmt.kind else { return None };
    let variable = body.var(*var);
    (variable.is_const && variable.role == Role::Local && is_known(value)).then_some((*var, value))
}

/// Whether an expression is a constant of which others are made.
pub(super) fn is_known(expr: &Expr) -> bool {
    matches!(expr.literal(), Some(Literal::Int(_) | Literal::Bool(_)))
}

/// Puts values into statements. A variable that turns out to be a constant goes, and so does a branch that nobody takes.
pub(super) struct Propagate<'a> {
    pub(super) functions: &'a [Function],
    pub(super) body: &'a Body,
    pub(super) values: Values,
}

impl Rewriter for Propagate<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            rewrite_stmt(self, &mut stmt);
            if let Some((var, value)) = constant_of(self.body, &stmt) {
                self.values.insert(var, value.clone());
                continue;
            }
            match stmt.kind {
                StmtKind::If { condition, then, otherwise } => match condition.literal() {
                    Some(Literal::Bool(holds)) => stmts.extend(if holds { then } else { otherwise }),
                    _ => {
                        let branch = build::when(condition, then, otherwise);
                        stmts.extend(branch.map(|new| Stmt { span: stmt.span, ..new }));
                    }
                },
                _ => stmts.push(stmt),
            }
            // What stands behind a jump is no text for WGSL.
            if stmts.last().is_some_and(jumps) {
                return;
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        InExpr { functions: self.functions, values: &self.values }.expr(expr);
    }
}

fn jumps(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::EndItem)
}

struct InExpr<'a> {
    functions: &'a [Function],
    values: &'a Values,
}

impl Rewriter for InExpr<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        match &expr.kind {
            ExprKind::Load(place) if place.path.is_empty() => {
                if let Some(value) = self.values.get(&place.root) {
                    *expr = Expr { span: expr.span, ..value.clone() };
                }
            }
            _ => {
                rewrite_expr(self, expr);
                let whole = std::mem::replace(expr, build::bool(false));
                *expr = self.folded(whole);
            }
        }
    }
}

impl InExpr<'_> {
    /// What an expression is whose parts have been folded.
    fn folded(&self, expr: Expr) -> Expr {
        let Expr { kind, ty, span } = expr;
        match kind {
            ExprKind::Unary(op, a) => Expr { span, ..constants::unary(op, *a) },
            // Of floats a zero counts with its sign.
            ExprKind::Binary(op, a, b) => match (op, a.as_int(), b.as_int()) {
                (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => *b,
                (BinaryOp::Add | BinaryOp::Sub, _, Some(0)) | (BinaryOp::Mul, _, Some(1)) => *a,
                _ => constants::binary(op, *a, *b, span),
            },
            ExprKind::Select(condition, a, b) => constants::select(*condition, *a, *b, span),
            ExprKind::Math(function, arguments) => constants::math(function, arguments, span),
            ExprKind::Cast { value, implicit } => match ty {
                Type::Scalar(to) => constants::convert(*value, to, implicit),
                _ => Expr { kind: ExprKind::Cast { value, implicit }, ty, span },
            },
            ExprKind::Call(function, arguments) => match self.decided(function, &arguments) {
                Some(value) => Expr { span, ..value },
                None => Expr { kind: ExprKind::Call(function, arguments), ty, span },
            },
            kind => Expr { kind, ty, span },
        }
    }

    /// What a function gives that begins with `if (condition) { return value; }`, where the condition holds: the checks of an
    /// index or a divisor do so.
    fn decided(&self, function: FunctionId, arguments: &[Argument]) -> Option<Expr> {
        let function = self.functions.get(function.0 as usize)?;
        let StmtKind::If { condition, then, .. } = &function.stmts.first()?.kind else { return None };
        let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = then.as_slice() else { return None };
        let given = |(param, argument): (&VarId, &Argument)| match argument {
            Argument::Value(value) => Some((*param, value.clone())),
            Argument::Pointer(_) => None,
        };
        let given = function.params.iter().zip(arguments).map(given).collect::<Option<Values>>()?;
        let is_given = |expr| Uses::of_expr(expr).mentioned.iter().all(|var| given.contains_key(var));
        let holds = is_given(condition) && valued(condition, &given).literal() == Some(Literal::Bool(true));
        (holds && is_given(value)).then(|| valued(value, &given))
    }
}
