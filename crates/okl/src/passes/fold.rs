//! Folds what has become known: conditions, branches, variables that nobody reads any more.

use super::structure_exits;
use crate::ir::Uses;
use crate::ir::build;
use crate::ir::rewrite::{Rewriter, for_regions_mut, rewrite_expr, rewrite_stmt};
use crate::ir::{BinaryOp, Body, Expr, ExprKind, Initializer, Literal, Module, Stmt, StmtKind, UnaryOp, VarId};
use std::collections::BTreeSet;

/// Replaces every expression for which `known` has an answer by that constant, and folds what follows from it in
/// the body of an item.
pub(super) fn run(stmts: &mut Vec<Stmt>, known: &dyn Fn(&Expr) -> Option<bool>) {
    Fold { known }.list(stmts);
    structure_exits::structure(stmts);
    drop_unread(stmts);
}

/// Folds what follows from constants alone, in the regions of all nests.
pub(super) fn run_alone(module: &mut Module) {
    for nest in module.kernels.iter_mut().flat_map(|kernel| &mut kernel.nests) {
        for_regions_mut(&mut nest.stmts, &mut |region| run(&mut region.body, &|_| None));
    }
}

struct Fold<'a> {
    known: &'a dyn Fn(&Expr) -> Option<bool>,
}

impl Rewriter for Fold<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            self.stmt(&mut stmt);
            match stmt.kind {
                StmtKind::If { condition, then, otherwise } => match constant(&condition) {
                    Some(true) => stmts.extend(then),
                    Some(false) => stmts.extend(otherwise),
                    None => {
                        stmts.extend(build::when(condition, then, otherwise).map(|new| Stmt { span: stmt.span, ..new }))
                    }
                },
                StmtKind::Block(inner) if inner.is_empty() => {}
                _ => stmts.push(stmt),
            }
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let Some(value) = (self.known)(expr) {
            expr.kind = ExprKind::Literal(Literal::Bool(value));
            return;
        }
        rewrite_expr(self, expr);
        if let Some(folded) = folded(expr) {
            *expr = folded;
        }
    }
}

fn constant(expr: &Expr) -> Option<bool> {
    match expr.literal() {
        Some(Literal::Bool(value)) => Some(value),
        _ => None,
    }
}

/// What an expression is when its operands have been folded.
fn folded(expr: &mut Expr) -> Option<Expr> {
    let take = |e: &mut Expr| std::mem::replace(e, build::bool(false));
    match &mut expr.kind {
        ExprKind::Unary(UnaryOp::Not, a) => constant(a).map(|value| build::bool(!value)),
        ExprKind::Binary(BinaryOp::LogicAnd, a, b) => match (constant(a), constant(b)) {
            (Some(false), _) => Some(build::bool(false)),
            (Some(true), _) => Some(take(b)),
            (_, Some(true)) => Some(take(a)),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::LogicOr, a, b) => match (constant(a), constant(b)) {
            (Some(true), _) => Some(build::bool(true)),
            (Some(false), _) => Some(take(b)),
            (_, Some(false)) => Some(take(a)),
            _ => None,
        },
        ExprKind::Select(condition, a, b) => constant(condition).map(|value| take(if value { a } else { b })),
        ExprKind::Cast { value, .. } if expr.ty == crate::ir::Scalar::Bool.into() => constant(value).map(build::bool),
        _ => None,
    }
}

/// Drops declarations of variables that nothing mentions, and branches that do nothing.
fn drop_unread(stmts: &mut Vec<Stmt>) {
    loop {
        let mentioned = Uses::of(stmts).mentioned;
        let mut dropped = false;
        Unread { mentioned: &mentioned, dropped: &mut dropped }.list(stmts);
        if !dropped {
            return;
        }
    }
}

struct Unread<'a> {
    mentioned: &'a BTreeSet<VarId>,
    dropped: &'a mut bool,
}

impl Rewriter for Unread<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        let before = stmts.len();
        stmts.retain_mut(|stmt| {
            rewrite_stmt(self, stmt);
            match &stmt.kind {
                StmtKind::Declare { var, .. } => self.mentioned.contains(var),
                StmtKind::If { then, otherwise, .. } => !(then.is_empty() && otherwise.is_empty()),
                StmtKind::Block(inner) => !inner.is_empty(),
                _ => true,
            }
        });
        *self.dropped |= stmts.len() != before;
    }

    fn expr(&mut self, _expr: &mut Expr) {}
}

/// The value of a declaration that could as well stand anywhere before: constant, without reads of memory.
pub(super) fn free_definition<'a>(body: &Body, stmt: &'a Stmt) -> Option<(VarId, &'a Expr)> {
    match &stmt.kind {
        StmtKind::Declare { var, init: Some(Initializer::Value(value)) }
            if body.var(*var).is_const && value.is_speculatable() =>
        {
            Some((*var, value))
        }
        _ => None,
    }
}
